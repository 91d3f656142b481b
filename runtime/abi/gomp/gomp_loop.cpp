// Loops whose chunks gcc's programs ask for one by one.
#include "runtime/abi/gomp_loop.hpp"

#include "runtime/abi/entry.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/sync/mapped_reductions.hpp"
#include "runtime/sync/single.hpp"

#include <algorithm>
#include <climits>

namespace hetmp::runtime {

using schedulers::Schedule;
using schedulers::ScheduleKind;

Schedule gomp_schedule(GompKind kind, long chunk) {
  Schedule schedule;
  schedule.chunk = chunk > 0 ? uint64_t(chunk) : 0;
  schedule.monotonic = (long(kind) & gomp_monotonic) != 0;
  switch (GompKind(long(kind) & ~gomp_monotonic)) {
  case GompKind::Runtime: {
    const bool monotonic = schedule.monotonic;
    schedule = current_task().icvs.run_schedule;
    schedule.monotonic |= monotonic;
    break;
  }
  case GompKind::Static:
    schedule.kind = ScheduleKind::Static;
    break;
  case GompKind::Guided:
    schedule.kind = ScheduleKind::Guided;
    break;
  case GompKind::Auto:
    schedule.kind = ScheduleKind::Auto;
    schedule.chunk = 0;
    break;
  default:
    schedule.kind = ScheduleKind::Dynamic;
    break;
  }
  // libgomp gives a thread chunks in their order, also where gcc has not asked for it, and programs count on that: one
  // that keeps the first iteration it meets takes it for the lowest (Debian's sumaclust).
  if (schedule.kind == ScheduleKind::Dynamic)
    schedule.monotonic = true;
  return schedule;
}

void begin_gomp_sections(unsigned count, const void* call_site) {
  Schedule schedule;
  schedule.kind = ScheduleKind::Dynamic;
  schedule.chunk = 1;
  schedule.monotonic = true;
  tell_work(call_site, ompt::WorkKind::Sections, count);
  begin_loop(current_task(), {schedule, count, false, nullptr, call_site});
}

namespace {

/// The next chunk; its end is the first value behind it, that of the last one the loop's own.
template <class T> bool next(T* begin, T* end, const void* caller) {
  ImplicitTask& task = current_task();
  schedulers::Range chunk;
  if (!next_chunk(task, chunk)) {
    tell_iterations(caller, 0, 0);
    return false;
  }
  const LoopProgress& loop = task.loop;
  *begin = T(loop.lower_bits + chunk.begin * uint64_t(loop.stride));
  *end = T(chunk.end == loop.trips ? loop.end_bits : loop.lower_bits + chunk.end * uint64_t(loop.stride));
  tell_iterations(caller, uint64_t(*begin), chunk.size());
  return true;
}

unsigned next_section(const void* caller) {
  schedulers::Range chunk;
  const bool is_there = next_chunk(current_task(), chunk);
  tell_section(caller, is_there);
  return is_there ? unsigned(chunk.begin) + 1 : 0;
}

/// The barrier behind it.
void end_construct(const void* caller) {
  ompt::entered(
      caller, [&] { cancel_barrier(current_task(), caller); }, ompt::SyncKind::BarrierImplicitWorkshare);
}

} // namespace

template <class T>
bool start_gomp_loop(const GompLoop<T>& loop, GompKind kind, T chunk, bool ordered, const void* call_site, T* begin,
                     T* end) {
  const long usable = chunk > T(LONG_MAX) ? LONG_MAX : long(chunk);
  begin_gomp_loop(loop, gomp_schedule(kind, usable), ordered, call_site);
  return next(begin, end, call_site);
}
template bool start_gomp_loop(const GompLoop<long>&, GompKind, long, bool, const void*, long*, long*);
template bool start_gomp_loop(const GompLoop<unsigned long long>&, GompKind, unsigned long long, bool, const void*,
                              unsigned long long*, unsigned long long*);

} // namespace hetmp::runtime

using namespace hetmp::runtime;
using Unsigned = unsigned long long;

#define HETMP_FURTHER_CHUNKS(name)                                                                                     \
  HETMP_ENTRY bool GOMP_loop_##name##_next(long* begin, long* end) {                                                   \
    return next(begin, end, __builtin_return_address(0));                                                              \
  }                                                                                                                    \
  HETMP_ENTRY bool GOMP_loop_ull_##name##_next(Unsigned* begin, Unsigned* end) {                                       \
    return next(begin, end, __builtin_return_address(0));                                                              \
  }

// ---- loops of long and of unsigned long long, with a chunk

#define HETMP_LOOP(name, kind, ordered)                                                                                \
  HETMP_ENTRY bool GOMP_loop_##name##_start(long start_value, long end_value, long increment, long chunk, long* begin, \
                                            long* end) {                                                               \
    return start_gomp_loop<long>({start_value, end_value, increment}, GompKind::kind, chunk, ordered,                  \
                                 __builtin_return_address(0), begin, end);                                             \
  }                                                                                                                    \
  HETMP_ENTRY bool GOMP_loop_ull_##name##_start(bool up, Unsigned start_value, Unsigned end_value, Unsigned increment, \
                                                Unsigned chunk, Unsigned* begin, Unsigned* end) {                      \
    return start_gomp_loop<Unsigned>({start_value, end_value, increment, up}, GompKind::kind, chunk, ordered,          \
                                     __builtin_return_address(0), begin, end);                                         \
  }                                                                                                                    \
  HETMP_FURTHER_CHUNKS(name)
HETMP_LOOP(static, Static, false)
HETMP_LOOP(dynamic, MonotonicDynamic, false)
HETMP_LOOP(guided, MonotonicGuided, false)
HETMP_LOOP(nonmonotonic_dynamic, Dynamic, false)
HETMP_LOOP(nonmonotonic_guided, Guided, false)
HETMP_LOOP(ordered_static, Static, true)
HETMP_LOOP(ordered_dynamic, Dynamic, true)
HETMP_LOOP(ordered_guided, Guided, true)

// ---- and by the run-sched-var

#define HETMP_RUNTIME_LOOP(name, kind, ordered)                                                                        \
  HETMP_ENTRY bool GOMP_loop_##name##_start(long start_value, long end_value, long increment, long* begin,             \
                                            long* end) {                                                               \
    return start_gomp_loop<long>({start_value, end_value, increment}, GompKind::kind, 0, ordered,                      \
                                 __builtin_return_address(0), begin, end);                                             \
  }                                                                                                                    \
  HETMP_ENTRY bool GOMP_loop_ull_##name##_start(bool up, Unsigned start_value, Unsigned end_value, Unsigned increment, \
                                                Unsigned* begin, Unsigned* end) {                                      \
    return start_gomp_loop<Unsigned>({start_value, end_value, increment, up}, GompKind::kind, 0, ordered,              \
                                     __builtin_return_address(0), begin, end);                                         \
  }                                                                                                                    \
  HETMP_FURTHER_CHUNKS(name)
HETMP_RUNTIME_LOOP(runtime, MonotonicRuntime, false)
HETMP_RUNTIME_LOOP(nonmonotonic_runtime, Runtime, false)
HETMP_RUNTIME_LOOP(maybe_nonmonotonic_runtime, Runtime, false)
HETMP_RUNTIME_LOOP(ordered_runtime, Runtime, true)

/// Also of a loop that was cancelled, in a region that cannot be.
HETMP_ENTRY void GOMP_loop_end() { end_construct(__builtin_return_address(0)); }

HETMP_ENTRY void GOMP_loop_end_nowait() {}

// ---- sections

HETMP_ENTRY unsigned GOMP_sections_start(unsigned count) {
  begin_gomp_sections(count, __builtin_return_address(0));
  return next_section(__builtin_return_address(0));
}

HETMP_ENTRY unsigned GOMP_sections_next() { return next_section(__builtin_return_address(0)); }

HETMP_ENTRY void GOMP_sections_end() { end_construct(__builtin_return_address(0)); }

HETMP_ENTRY void GOMP_sections_end_nowait() {}

// ---- the general form, which later compilers use where a construct has something special

namespace hetmp::runtime {

void begin_special_construct(uintptr_t* reductions, void** memory) {
  if (reductions)
    begin_mapped_team_reductions(current_thread(), reductions);
  if (memory)
    *memory = construct_memory(current_task(), reinterpret_cast<size_t>(*memory));
}

} // namespace hetmp::runtime

namespace {

/// Without a place for a chunk the compiler divides the loop itself.
template <class T>
bool start_special(const GompLoop<T>& loop, long schedule, T chunk, bool ordered, uintptr_t* reductions, void** memory,
                   const void* call_site, T* begin, T* end) {
  begin_special_construct(reductions, memory);
  return begin ? start_gomp_loop(loop, GompKind(schedule), chunk, ordered, call_site, begin, end) : true;
}

} // namespace

#define HETMP_SPECIAL_LOOP(name, ordered)                                                                              \
  HETMP_ENTRY bool GOMP_loop_##name(long start_value, long end_value, long increment, long schedule, long chunk,       \
                                    long* begin, long* end, uintptr_t* reductions, void** memory) {                    \
    return start_special<long>({start_value, end_value, increment}, schedule, chunk, ordered, reductions, memory,      \
                               __builtin_return_address(0), begin, end);                                               \
  }                                                                                                                    \
  HETMP_ENTRY bool GOMP_loop_ull_##name(bool up, Unsigned start_value, Unsigned end_value, Unsigned increment,         \
                                        long schedule, Unsigned chunk, Unsigned* begin, Unsigned* end,                 \
                                        uintptr_t* reductions, void** memory) {                                        \
    return start_special<Unsigned>({start_value, end_value, increment, up}, schedule, chunk, ordered, reductions,      \
                                   memory, __builtin_return_address(0), begin, end);                                   \
  }
HETMP_SPECIAL_LOOP(start, false)
HETMP_SPECIAL_LOOP(ordered_start, true)

HETMP_ENTRY unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
  begin_special_construct(reductions, memory);
  return GOMP_sections_start(count);
}
