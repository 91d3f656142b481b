// Into which tasks a taskloop is divided. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::runtime {

enum class TaskloopClause : int32_t { None = 0, Grainsize = 1, NumTasks = 2 };

/// `tasks` tasks of `grain` iterations each; the first `larger` of them have one more, and the last one has what is
/// left.
struct TaskloopDivision {
  uint64_t tasks = 0;
  uint64_t grain = 0;
  uint64_t larger = 0;

  /// Iterations of task `number`, of `trips` in all.
  uint64_t begin(uint64_t number) const { return number * grain + std::min(number, larger); }
  uint64_t end(uint64_t number, uint64_t trips) const { return std::min(begin(number + 1), trips); }
};

/// OpenMP 5.1, section 2.12.2: with grainsize(n) each task has at least n and less than 2n iterations, exactly n (but
/// for the last) if it is strict; with num_tasks(n) there are n, or one for each iteration. Without a clause: some
/// tasks for each thread.
constexpr TaskloopDivision divide_taskloop(uint64_t trips, TaskloopClause clause, uint64_t value, bool strict,
                                           uint32_t threads) {
  constexpr uint64_t tasks_per_thread = 10;
  if (trips == 0)
    return {};
  value = std::max<uint64_t>(value, 1);
  uint64_t tasks = std::min<uint64_t>(trips, threads * tasks_per_thread);
  if (clause == TaskloopClause::NumTasks)
    tasks = std::min(trips, value);
  if (clause == TaskloopClause::Grainsize && strict)
    return {trips / value + (trips % value != 0), value, 0};
  if (clause == TaskloopClause::Grainsize)
    tasks = std::max<uint64_t>(trips / value, 1);
  return {tasks, trips / tasks, trips % tasks};
}

/// Iterations of `lower`, `lower` + `stride`, .. up to and including `upper`, as bits of either signedness: what tells
/// them apart is not passed on, and compilers ask for no loop without iterations. The one case that can be told is
/// `upper` right before `lower`.
constexpr uint64_t taskloop_trips(uint64_t lower, uint64_t upper, int64_t stride) {
  if (stride == 0)
    return 0;
  const uint64_t distance = stride > 0 ? upper - lower : lower - upper;
  const uint64_t step = stride > 0 ? uint64_t(stride) : 0 - uint64_t(stride);
  return distance == UINT64_MAX ? 0 : distance / step + 1;
}

} // namespace hetmp::runtime
