// How explicit tasks are made, before anybody else may know of them (execution.hpp).
#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/team/thread.hpp"

namespace hetmp::runtime {

GeneratingTask& generating_task(ImplicitTask& task) {
  GeneratingTask* const explicit_task = task.explicit_task;
  return explicit_task ? *explicit_task : task.generator;
}

DependenceTable& dependences_of(GeneratingTask& task) {
  if (!task.dependences)
    task.dependences = new DependenceTable;
  return *task.dependences;
}

ExplicitTask& make_task(Thread& self, const TaskRequest& request) {
  ExplicitTask* task = take_task(self.task_blocks, request.body_bytes, request.body_alignment);
  if (!task)
    die(exit_code::no_resources, "no memory for a task of %zu bytes", request.body_bytes);
  GeneratingTask& parent = generating_task(*self.task);
  HETMP_CHECK(task->children.load(std::memory_order_relaxed) == GeneratingTask::one_record && !task->attached);
  task->function = request.function;
  task->finalise = request.finalise;
  task->parent = &parent;
  task->depth = parent.depth + 1;
  task->tied = request.tied;
  task->is_final = request.is_final || parent.is_final;
  task->group = task->member_of = parent.group;
  task->team = self.task->team;
  if (request.has_event)
    give_event(*task);
  return *task;
}

void give_event(ExplicitTask& task) {
  task.pending.store(2, std::memory_order_relaxed); // relaxed: nobody else knows of the task yet
  task.has_event = true;
  keep_tasks_at_home();
}

void discard_task(Thread& self, ExplicitTask& task) { give_back_task(&self.task_blocks, &task); }

} // namespace hetmp::runtime
