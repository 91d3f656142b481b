// Tasks' code on a thread that is on a journey (regions/travelling.hpp): it may be executed elsewhere for a while,
// though what has called it, a barrier or a taskwait, is private to the process.
#pragma once

#include "runtime/task_graph/task.hpp"

namespace hetmp::runtime {

struct Thread;

/// Calls the task's function; at home when it returns.
void call_on_journey(Thread& self, const ExplicitTask& task);

/// The calling thread's task, executed as a part of another one, has ended: the ICVs that it has set do.
void task_is_over();

/// Executes a task that was taken from the team's, perhaps together with others of the calling thread's queue that it
/// may run while it is inside of `constraint` (may_run()): elsewhere, from the first instruction on, where they are
/// known to be worth the way (schedulers/arithmetic/task_sizes.hpp).
void run_on_journey(Thread& self, ExplicitTask& task, const GeneratingTask* constraint);

} // namespace hetmp::runtime
