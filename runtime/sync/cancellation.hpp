// Barriers where regions may be cancelled (OMP_CANCELLATION); the constructs that cancel are loops/cancelling.hpp's.
//
// When a region is cancelled, threads go to its end at once, while others may still wait for them at barriers inside.
// Those at the end stand in for themselves: they come to every barrier of the others, which learn from them that the
// region is cancelled, until a barrier at which nobody is inside.
#pragma once

namespace hetmp::runtime {

struct ImplicitTask;

/// A barrier inside: whether the region is cancelled, and the thread goes to its end. `site`: see team_barrier().
bool cancel_barrier(ImplicitTask& task, const void* site = nullptr);

/// The barrier of a reduction at the end of a loop or sections. clang puts a second one behind it, and threads that
/// leave a cancelled construct come to that one only: if there are any, the others have met them here, and the second
/// one is over.
void reduction_barrier(ImplicitTask& task, const void* site);

/// At the end of a region, by every thread.
void meet_at_end(ImplicitTask& task);

} // namespace hetmp::runtime
