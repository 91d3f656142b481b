// Tasks that the task which generates them executes itself, at once (`if(false)`).
#pragma once

#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/task.hpp"
#include "runtime/team/implicit_task.hpp"

namespace hetmp::runtime {

struct Thread;

/// Executes it at once, on this thread.
void execute_undeferred(Thread& self, ExplicitTask& task);

/// The same, but the caller executes the task's code between the two.
void begin_undeferred(Thread& self, ExplicitTask& task);
void end_undeferred(Thread& self, ExplicitTask& task);

/// The same for a tied task that has no body of its own: its code is a call of `function` with what its generating task
/// has. Not where others are to read its record: a tool, or another node that its thread is a guest of.
inline bool may_execute_in_place(const ImplicitTask& implicit) { return !ompt::observed() && !implicit.has_waited; }
void execute_in_place(Thread& self, void (*function)(void*), void* argument, bool is_final);

/// Tasks that differ in their bodies only, executed at once one after the other, without events and with nothing to
/// finalise. A record that one of them leaves as it was is used for the next one, and stays what the thread executes in
/// between. Not for a tool to see.
class TasksInARow {
 public:
  explicit TasksInARow(Thread& self) : self_(self) {}
  ~TasksInARow();
  TasksInARow(const TasksInARow&) = delete;
  TasksInARow& operator=(const TasksInARow&) = delete;

  /// The record for the next one's body; null: it needs a new one.
  ExplicitTask* kept() { return kept_; }
  /// `task`: kept(), or a new one if there is none.
  void execute(ExplicitTask& task);

 private:
  Thread& self_;
  ExplicitTask* kept_ = nullptr;
  ExplicitTask::Interrupted before_; ///< the first one of the row, while there is one
};

} // namespace hetmp::runtime
