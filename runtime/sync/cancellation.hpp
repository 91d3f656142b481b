// Cancellation (OpenMP 5.1, section 2.20), if OMP_CANCELLATION allows it.
//
// What is cancelled is one instance of a construct. A region has a word in its team. Loops and sections are numbered by
// each thread (ImplicitTask::worksharing), and the team keeps the numbers of those that were cancelled: they never have
// to be forgotten, and a thread that is still in the loop before, or already in the one behind, is not meant.
#pragma once

#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {

/// What a `cancel` construct cancels, as gcc numbers it.
enum class Cancelled : uint32_t { Nothing = 0, Parallel = 1, Loop = 2, Sections = 4, Taskgroup = 8 };

/// A `cancel` construct: whether the calling thread goes to the end of the construct named. Other threads do so when
/// they come to a cancellation point; those on other nodes learn of it at the next barrier.
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

// When a region is cancelled, threads go to its end at once, while others may still wait for them at barriers inside.
// Those at the end stand in for themselves: they come to every barrier of the others, which learn from them that the
// region is cancelled, until a barrier at which nobody is inside.

/// A barrier inside: whether the region is cancelled, and the thread goes to its end. `site`: see team_barrier().
bool cancel_barrier(ImplicitTask& task, const void* site = nullptr);

/// The barrier of a reduction at the end of a loop or sections. clang puts a second one behind it, and threads that
/// leave a cancelled construct come to that one only: if there are any, the others have met them here, and the second
/// one is over.
void reduction_barrier(ImplicitTask& task, const void* site);

/// At the end of a region, by every thread.
void meet_at_end(ImplicitTask& task);

} // namespace hetmp::runtime
