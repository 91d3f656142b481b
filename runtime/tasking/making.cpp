// How explicit tasks are made, before anybody else may know of them (execution.hpp).
#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/tasking/interruption.hpp"
#include "runtime/team/thread.hpp"

#include <new>

namespace hetmp::runtime {

DependenceTable& dependences_of(GeneratingTask& task) {
  if (!task.dependences)
    task.dependences = new DependenceTable;
  return *task.dependences;
}

ExplicitTask& make_task(Thread& self, const TaskRequest& request) {
  TaskBlock* const block = take_task(self.task_blocks, request.body_bytes, request.body_alignment);
  if (!block) [[unlikely]]
    die(exit_code::no_resources, "no memory for a task of %zu bytes", request.body_bytes);
  ImplicitTask& implicit = *self.task;
  ExplicitTask& task = *new (block->record()) ExplicitTask;
  task.body = block->body;
  task.body_bytes = request.body_bytes;
  task.function = request.function;
  task.finalise = request.finalise;
  put_below(generating_task(implicit), *implicit.team, task);
  task.tied = request.tied;
  task.is_final |= request.is_final;
  if (request.has_event)
    give_event(task);
  return task;
}

void give_event(ExplicitTask& task) {
  task.pending.store(2, std::memory_order_relaxed); // relaxed: nobody else knows of the task yet
  task.has_event = true;
  keep_tasks_at_home();
}

void discard_task(Thread& self, ExplicitTask& task) { give_back_task(&self.task_blocks, &task); }

} // namespace hetmp::runtime
