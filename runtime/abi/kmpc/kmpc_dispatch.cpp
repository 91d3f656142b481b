// Loops whose chunks are asked for one by one.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_schedule.hpp"
#include "runtime/abi/told_loops.hpp"
#include "runtime/abi/told_ordered.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/team/implicit_task.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <type_traits>

namespace hetmp::runtime {
namespace {

template <class T>
void begin(const SourceLocation* location, const void* call_site, int gtid, int32_t schedule, T lower, T upper,
           std::make_signed_t<T> increment, std::make_signed_t<T> chunk) {
  ImplicitTask& task = task_of(gtid);
  DecodedSchedule decoded = decode_schedule(schedule, chunk, task.icvs.run_schedule);
  const uint64_t trips = schedulers::trip_count<T>(lower, upper, increment);
  if (decoded.vector > 1)
    decoded.schedule = in_whole_vectors(decoded.schedule, decoded.vector, trips, task.team_size);
  if (task.doacross.posted)
    decoded.schedule.monotonic = true; // earlier iterations are begun earlier
  task.loop.lower_bits = uint64_t(lower);
  task.loop.stride = increment;
  tell_work(call_site,
            is_sections(location) ? ompt::WorkKind::Sections : kind_of_work(decoded.schedule.kind, task.team_size),
            trips);
  begin_loop(task, {decoded.schedule, trips, decoded.ordered, source_text(location), call_site, true});
}

template <class T>
int next(int gtid, int32_t* last, T* lower, T* upper, std::make_signed_t<T>* stride, const void* caller) {
  using Signed = std::make_signed_t<T>;
  ImplicitTask& task = task_of(gtid);
  schedulers::Range chunk;
  if (!next_chunk(task, chunk)) {
    tell_iterations(caller, 0, 0);
    return 0;
  }
  const LoopProgress& loop = task.loop;
  *lower = schedulers::iteration_value<T>(T(loop.lower_bits), Signed(loop.stride), chunk.begin);
  *upper = schedulers::iteration_value<T>(T(loop.lower_bits), Signed(loop.stride), chunk.end - 1);
  if (stride)
    *stride = Signed(loop.stride);
  if (last)
    *last = chunk.end == loop.trips;
  tell_iterations(caller, uint64_t(*lower), chunk.size());
  return 1;
}

} // namespace
} // namespace hetmp::runtime

#define HETMP_DISPATCH(suffix, type, signed_type)                                                                      \
  HETMP_ENTRY void __kmpc_dispatch_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,       \
                                                 type lower, type upper, signed_type increment, signed_type chunk) {   \
    hetmp::runtime::begin<type>(location, __builtin_return_address(0), gtid, schedule, lower, upper, increment,        \
                                chunk);                                                                                \
  }                                                                                                                    \
  HETMP_ENTRY int __kmpc_dispatch_next_##suffix(const SourceLocation*, int32_t gtid, int32_t* last, type* lower,       \
                                                type* upper, signed_type* stride) {                                    \
    return hetmp::runtime::next<type>(gtid, last, lower, upper, stride, __builtin_return_address(0));                  \
  }                                                                                                                    \
  HETMP_ENTRY void __kmpc_dispatch_fini_##suffix(const SourceLocation*, int32_t gtid) {                                \
    hetmp::runtime::finish_ordered_iteration(hetmp::runtime::task_of(gtid));                                           \
  }

HETMP_DISPATCH(4, int32_t, int32_t)
HETMP_DISPATCH(4u, uint32_t, int32_t)
HETMP_DISPATCH(8, int64_t, int64_t)
HETMP_DISPATCH(8u, uint64_t, int64_t)

/// After a loop. Its state has been given back when its last chunk was.
HETMP_ENTRY void __kmpc_dispatch_deinit(const SourceLocation*, int32_t) {}

HETMP_ENTRY void __kmpc_ordered(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::begin_ordered_from(__builtin_return_address(0), hetmp::runtime::task_of(gtid));
}

HETMP_ENTRY void __kmpc_end_ordered(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::end_ordered_from(__builtin_return_address(0), hetmp::runtime::task_of(gtid));
}
