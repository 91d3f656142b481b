// Loops with a static schedule: the compiler asks for its thread's share once and runs it by itself.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_static_loop.hpp"
#include "runtime/ompt/events.hpp"

namespace hetmp::runtime {
namespace {

ompt::WorkKind kind_of_work(const SourceLocation* location) {
  const int32_t flags = location ? location->flags : flag_loop;
  if ((flags & flag_sections) != 0)
    return ompt::WorkKind::Sections;
  return (flags & flag_distribute) != 0 ? ompt::WorkKind::Distribute : ompt::WorkKind::LoopStatic;
}

/// The same, and a tool is told: of the construct, and of the thread's first chunk.
template <class T>
HETMP_TOOL_ONLY void divide_observed(const StaticLoop<T>& loop, int gtid, int32_t schedule,
                                     const SourceLocation* location, const void* caller) {
  const ompt::WorkKind kind = kind_of_work(location);
  const uint64_t trips = loop.trips();
  const T end = *loop.upper;
  divide_static_loop(loop, gtid, schedule, location, caller);
  const T first = *loop.lower;
  const T last = loop.increment > 0 ? std::min(*loop.upper, end) : std::max(*loop.upper, end);
  ompt::entered(caller, [&] {
    ompt::work_begins(kind, trips);
    const uint64_t chunk = schedulers::trip_count<T>(first, last, loop.increment);
    if (chunk == 0 || trips == 0)
      return;
    if (kind == ompt::WorkKind::Sections)
      ompt::tell_section(caller);
    else
      ompt::tell_chunk(kind == ompt::WorkKind::Distribute ? ompt::DispatchKind::DistributeChunk
                                                          : ompt::DispatchKind::LoopChunk,
                       uint64_t(first), chunk);
  });
}

} // namespace
} // namespace hetmp::runtime

#define HETMP_STATIC_INIT(suffix, type, signed_type)                                                                   \
  HETMP_ENTRY void __kmpc_for_static_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,     \
                                                   int32_t* last, type* lower, type* upper, signed_type* stride,       \
                                                   signed_type increment, signed_type chunk) {                         \
    const hetmp::runtime::StaticLoop<type> loop{last, lower, upper, stride, increment, chunk};                         \
    if (hetmp::runtime::ompt::observed()) [[unlikely]]                                                                 \
      hetmp::runtime::divide_observed(loop, gtid, schedule, location, __builtin_return_address(0));                    \
    else                                                                                                               \
      hetmp::runtime::divide_static_loop(loop, gtid, schedule, location, __builtin_return_address(0));                 \
  }

HETMP_STATIC_INIT(4, int32_t, int32_t)
HETMP_STATIC_INIT(4u, uint32_t, int32_t)
HETMP_STATIC_INIT(8, int64_t, int64_t)
HETMP_STATIC_INIT(8u, uint64_t, int64_t)

HETMP_ENTRY void __kmpc_for_static_fini(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::end_static_loop(hetmp::runtime::task_of(gtid));
  if (hetmp::runtime::ompt::observed()) [[unlikely]]
    hetmp::runtime::ompt::entered(__builtin_return_address(0), [] { hetmp::runtime::ompt::work_ends(); });
}
