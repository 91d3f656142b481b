// Cancellation (OpenMP 5.1, section 2.20), if OMP_CANCELLATION allows it. How cancelled regions end is
// sync/cancellation.hpp's.
//
// What is cancelled is one instance of a construct. A region has a word in its team. Loops and sections are numbered by
// each thread (ImplicitTask::worksharing), and the team keeps the numbers of those that were cancelled: they never have
// to be forgotten, and a thread that is still in the loop before, or already in the one behind, is not meant.
#pragma once

#include "runtime/team/implicit_task.hpp"

namespace hetmp::runtime {

/// What a `cancel` construct cancels, as gcc numbers it.
enum class Cancelled : uint32_t { Nothing = 0, Parallel = 1, Loop = 2, Sections = 4, Taskgroup = 8 };

/// A `cancel` construct: whether the calling thread goes to the end of the construct named. Other threads do so when
/// they come to a cancellation point; those on other nodes when a message about it has come there as well.
bool cancel(ImplicitTask& task, Cancelled what);

/// A cancellation point: whether the construct that is named has been cancelled. The calling thread then goes to its
/// end.
bool is_cancelled(ImplicitTask& task, Cancelled what);

/// Whether the construct has been cancelled; the calling thread stays in it.
bool has_been_cancelled(ImplicitTask& task, Cancelled what);

/// The calling thread begins a loop or sections that the compiler divides itself; for others the runtime hands out,
/// begin_loop() counts.
inline void begin_static_worksharing(ImplicitTask& task) {
  task.worksharing++;
  task.in_static_loop = true;
}

} // namespace hetmp::runtime
