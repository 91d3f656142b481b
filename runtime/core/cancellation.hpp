// Cancellation (OpenMP 5.1, section 2.20), if OMP_CANCELLATION allows it.
#pragma once

#include "runtime/core/node_team.hpp"

namespace hetmp::runtime {

/// What a `cancel` construct cancels. Bits, so that nodes can tell each other at a barrier.
enum class Cancelled : uint32_t { Nothing = 0, Parallel = 1, Loop = 2, Sections = 4, Taskgroup = 8 };

/// A `cancel` construct: whether the calling thread goes to the end of the construct named. Other threads do so when they come to a
/// cancellation point; those on other nodes learn of it at the next barrier.
bool cancel(ImplicitTask& task, Cancelled what);

/// A cancellation point: whether the construct that is named has been cancelled. The calling thread then goes to its end.
bool is_cancelled(ImplicitTask& task, Cancelled what);

/// Whether the construct has been cancelled; the calling thread stays in it.
bool has_been_cancelled(ImplicitTask& task, Cancelled what);

/// A barrier that is a cancellation point of the region or, at the end of a loop or sections, of that: whether that was cancelled. All
/// threads get the same answer, and the construct is forgotten.
bool cancel_barrier(ImplicitTask& task);

} // namespace hetmp::runtime
