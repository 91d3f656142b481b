// From an explicit task's generation to its completion.
#pragma once

#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task.hpp"

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

/// What a task construct says of its task.
struct TaskRequest {
  TaskFunction function = nullptr;
  TaskFunction finalise = nullptr; ///< see ExplicitTask
  size_t body_bytes = 0;
  size_t body_alignment = 16;
  bool tied = true;
  bool is_final = false;
  bool has_event = false; ///< completes only when complete_event() has been called as well
};

/// The task that the calling thread executes.
GeneratingTask& generating_task(ImplicitTask& task);

/// The dependences between its children. By the thread that executes it.
DependenceTable& dependences_of(GeneratingTask& task);

/// A task of the calling thread's present one, not yet known to anybody: its body is to be filled in. Ends the program
/// when there is no memory.
ExplicitTask& make_task(Thread& self, const TaskRequest& request);

/// Whether a task that has not begun is not executed any more, since its taskgroup, one around it or the region has
/// been cancelled.
bool is_discarded(const ExplicitTask& task);

/// Never submitted, or kept: a pattern that others were copied from.
void discard_task(Thread& self, ExplicitTask& task);

/// Has it executed: at once, if it is included or the team has plenty of tasks, else by some thread of the team. An
/// untied task that runs may be submitted again by the thread that executes it, before it returns, for its next part.
void submit_task(Thread& self, ExplicitTask& task, std::vector<Dependence> dependences = {});

/// For many tasks that differ in their bodies only: executes one at once that has no event and nothing to finalise.
/// True: nothing is left of it and the record may be used for the next one. False: it has been completed like others,
/// or its children go up to it.
bool execute_and_keep(Thread& self, ExplicitTask& task);

/// A task made by `running`, a deferred or undeferred one without dependences, becomes another child of `running`'s
/// parent, to be executed by some thread.
void submit_beside(Thread& self, ExplicitTask& task, const ExplicitTask& running);

/// Executes it at once, on this thread (`if(false)`).
void execute_undeferred(Thread& self, ExplicitTask& task);

/// The same, but the caller executes the task's code between the two.
void begin_undeferred(Thread& self, ExplicitTask& task);
void end_undeferred(Thread& self, ExplicitTask& task);

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
