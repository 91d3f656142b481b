// From an explicit task's generation to its completion.
#pragma once

#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task.hpp"
#include "runtime/team/cancellations.hpp"

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

/// What a task construct says of its task.
struct TaskRequest {
  TaskFunction function = nullptr;
  size_t body_bytes = 0;
  size_t body_alignment = 16;
  TaskFunction finalise = nullptr; ///< see ExplicitTask
  bool tied = true;
  bool is_final = false;
  bool has_event = false; ///< completes only when complete_event() has been called as well
};

/// The dependences between its children. By the thread that executes it.
DependenceTable& dependences_of(GeneratingTask& task);

/// A task of the calling thread's present one, not yet known to anybody: its body is to be filled in. Ends the program
/// when there is no memory.
ExplicitTask& make_task(Thread& self, const TaskRequest& request);

/// Whether its taskgroup, one around it or the region has been cancelled.
bool is_cancelled(const ExplicitTask& task);

/// Whether a task that has not begun is not executed any more, since that is so.
inline bool is_discarded(const ExplicitTask& task) { return regions_may_be_cancelled && is_cancelled(task); }

/// Never submitted, or kept: a pattern that others were copied from.
void discard_task(Thread& self, ExplicitTask& task);

/// Has it executed: at once, if it is included or the team has plenty of tasks, else by some thread of the team. An
/// untied task that runs may be submitted again by the thread that executes it, before it returns, for its next part.
void submit_task(Thread& self, ExplicitTask& task, std::vector<Dependence> dependences = {});

/// A task made by `running`, a deferred or undeferred one without dependences, becomes another child of `running`'s
/// parent, to be executed by some thread.
void submit_beside(Thread& self, ExplicitTask& task, const ExplicitTask& running);

/// One that its generating thread executes, and that may end before its event: the team's barrier waits for it.
void defer_for_event(Thread& self, ExplicitTask& task);

/// Calls the code of the task that the thread has been interrupted for, unless it is discarded.
void call_code(Thread& self, ExplicitTask& task);

/// Executes a task that was taken from the team's.
void run_task(Thread& self, ExplicitTask& task);

/// The calling thread has executed the code of such a task itself.
void end_execution(Thread& self, ExplicitTask& task);

/// As run_task(), by a thread that is not of the task's team.
void run_task_from_outside(Thread& self, ExplicitTask& task);

/// Another node has executed it. `self`: null for a thread that is not of the task's team.
void end_executed_elsewhere(Thread* self, ExplicitTask& task);

/// Its event has been fulfilled. Any thread, known to the runtime or not; once for each task.
void complete_event(ExplicitTask& task);

/// The task completes only when complete_event() has been called as well. Before it is submitted.
void give_event(ExplicitTask& task);

} // namespace hetmp::runtime
