// Collapsed loops whose bounds the compiler leaves to the runtime.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/loops/loop_nest.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <algorithm>

using namespace hetmp::runtime;

namespace {

void canonicalise_all(NestedLoop* loops, int32_t count) { std::for_each(loops, loops + count, canonicalise); }

} // namespace

/// Of loops that do not depend on each other: their numbers of iterations, and that of all together.
HETMP_ENTRY uint64_t __kmpc_process_loop_nest_rectang(const SourceLocation*, int32_t, NestedLoop* loops,
                                                      int32_t count) {
  canonicalise_all(loops, count);
  const LoopNest nest(loops, uint32_t(count));
  uint64_t iterations = 1;
  for (int32_t level = 0; level < count; level++)
    iterations *= loops[level].trips = nest.trips(uint32_t(level));
  return iterations;
}

/// The variables in an iteration of loops that __kmpc_process_loop_nest_rectang has seen.
HETMP_ENTRY void __kmpc_calc_original_ivs_rectang(const SourceLocation*, uint64_t iteration, const NestedLoop* loops,
                                                  uint64_t* variables, int32_t count) {
  const std::vector<uint64_t> values = LoopNest(loops, uint32_t(count)).point(iteration);
  std::copy(values.begin(), values.end(), variables);
}

/// Static division of a nest among the threads of the team. Whether this one has a share: `shares` then has the
/// variables of its first iteration as lower bounds and those of its last one as upper bounds, and the program goes
/// from the one to the other.
HETMP_ENTRY int32_t __kmpc_for_collapsed_init(const SourceLocation*, int32_t gtid, NestedLoop* loops,
                                              NestedLoop* shares, int32_t count, int32_t* is_last) {
  canonicalise_all(loops, count);
  const LoopNest nest(loops, uint32_t(count));
  const uint64_t iterations = nest.iterations();
  const ImplicitTask& task = task_of(gtid);
  const hetmp::schedulers::Range share = hetmp::schedulers::static_share(iterations, task.team_size, task.number);
  if (is_last)
    *is_last = !share.empty() && share.end == iterations;
  if (share.empty())
    return 0;
  const std::vector<uint64_t> first = nest.point(share.begin);
  const std::vector<uint64_t> last = nest.point(share.end - 1);
  for (int32_t level = 0; level < count; level++) {
    NestedLoop& bounds = shares[level] = loops[level];
    bounds.lower = first[size_t(level)];
    bounds.upper = last[size_t(level)];
    bounds.lower_factor = bounds.upper_factor = 0;
  }
  return 1;
}
