// Loops with a static schedule: the compiler asks for its thread's share once and runs it by itself.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_static_loop.hpp"
#include "runtime/global/loop_identity.hpp"
#include "runtime/loops/cancelling.hpp"
#include "runtime/team/implicit_task.hpp"

namespace hetmp::runtime {
namespace {

template <class T>
void divide(const StaticLoop<T>& loop, int gtid, int32_t schedule, const SourceLocation* location,
            const void* call_site) {
  const uint64_t trips = loop.trips();
  if (trips == 0)
    return loop.leave_empty();
  ImplicitTask& task = task_of(gtid);
  const StaticKind kind = decode_static_schedule(schedule);
  begin_static_worksharing(task);
  if (kind == StaticKind::Distributed || kind == StaticKind::DistributedChunked) {
    loop.divide_alone(teams_of_league(task), trips,
                      kind == StaticKind::Distributed ? StaticKind::Contiguous : StaticKind::Chunked);
  } else if (task.team_size == 1) {
    loop.set_last(true);
    loop.set_stride(trips);
  } else if (kind == StaticKind::Contiguous && !is_sections(location)) {
    loop.divide_contiguous(begin_static_loop(task, trips, {source_text(location), call_site}), trips);
  } else {
    note_first_loop(task, trips);
    note_unplaced_loop(*task.team, call_site);
    loop.divide_alone(threads_of_team(task), trips, kind);
  }
}

} // namespace
} // namespace hetmp::runtime

#define HETMP_STATIC_INIT(suffix, type, signed_type)                                                                   \
  HETMP_ENTRY void __kmpc_for_static_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,     \
                                                   int32_t* last, type* lower, type* upper, signed_type* stride,       \
                                                   signed_type increment, signed_type chunk) {                         \
    hetmp::runtime::divide<type>({last, lower, upper, stride, increment, chunk}, gtid, schedule, location,             \
                                 __builtin_return_address(0));                                                         \
  }

HETMP_STATIC_INIT(4, int32_t, int32_t)
HETMP_STATIC_INIT(4u, uint32_t, int32_t)
HETMP_STATIC_INIT(8, int64_t, int64_t)
HETMP_STATIC_INIT(8u, uint64_t, int64_t)

HETMP_ENTRY void __kmpc_for_static_fini(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::end_static_loop(hetmp::runtime::task_of(gtid));
}
