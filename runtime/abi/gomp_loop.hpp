// Loops as gcc begins them: [start, end), and chunks likewise.
#pragma once

#include "runtime/abi/told_loops.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

#include <cstdint>
#include <type_traits>

using GompFunction = void (*)(void* data);

namespace hetmp::runtime {

inline constexpr long gomp_monotonic = 0x80000000L; ///< beside a kind

enum class GompKind : long {
  Runtime,
  Static,
  Dynamic,
  Guided,
  Auto,
  MonotonicRuntime = Runtime | gomp_monotonic,
  MonotonicDynamic = Dynamic | gomp_monotonic,
  MonotonicGuided = Guided | gomp_monotonic,
};

/// `T`: long, or unsigned long long with an increment that is negative modulo 2^64 where the loop goes down.
template <class T> struct GompLoop {
  T start, end, increment;
  bool up = true; ///< means something for unsigned ones only

  uint64_t trips() const {
    const bool upward = std::is_signed_v<T> ? increment > 0 : up;
    if (upward)
      return start < end ? (uint64_t(end) - uint64_t(start) - 1) / uint64_t(increment) + 1 : 0;
    return end < start ? (uint64_t(start) - uint64_t(end) - 1) / (0 - uint64_t(increment)) + 1 : 0;
  }
};

/// A chunk of 0 means none.
schedulers::Schedule gomp_schedule(GompKind kind, long chunk);

/// The calling thread begins it.
template <class T>
void begin_gomp_loop(const GompLoop<T>& loop, schedulers::Schedule schedule, bool ordered, const void* call_site) {
  ImplicitTask& task = current_task();
  task.loop.lower_bits = uint64_t(loop.start);
  task.loop.stride = int64_t(loop.increment);
  task.loop.end_bits = uint64_t(loop.end);
  tell_work(call_site, kind_of_work(schedule.kind, task.team_size), loop.trips());
  // gcc divides most of its static loops itself, equally.
  begin_loop(task, {schedule, loop.trips(), ordered, nullptr, call_site, true, true});
}

/// Invoker of functions as gcc outlines them: they take one pointer.
void invoke_gomp(void* function, int gtid, int thread_number, uint32_t count, void* const* arguments);

/// What gcc says of a region: 0 threads mean no num_threads clause; `flags` have the proc_bind clause.
void push_gomp_clauses(Thread& self, unsigned threads, unsigned flags);

/// What every thread of the team does before it begins a construct with reduction(task, ..), or one whose threads share
/// memory, of which `memory` has the size first. Either may be null.
void begin_special_construct(uintptr_t* reductions, void** memory);

/// Begins a loop and asks for its first chunk.
template <class T>
bool start_gomp_loop(const GompLoop<T>& loop, GompKind kind, T chunk, bool ordered, const void* call_site, T* begin,
                     T* end);
extern template bool start_gomp_loop(const GompLoop<long>&, GompKind, long, bool, const void*, long*, long*);
extern template bool start_gomp_loop(const GompLoop<unsigned long long>&, GompKind, unsigned long long, bool,
                                     const void*, unsigned long long*, unsigned long long*);

/// Sections, numbered from 1.
void begin_gomp_sections(unsigned count, const void* call_site);

} // namespace hetmp::runtime
