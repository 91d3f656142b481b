#include "runtime/tasking/undeferred.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/interruption.hpp"
#include "runtime/tasking/observed_tasks.hpp"
#include "runtime/team/thread.hpp"

#include <cstring>

namespace hetmp::runtime {

// relaxed: written by this thread, nobody else knows of the task yet.
void execute_undeferred(Thread& self, ExplicitTask& task) {
  if (ompt::observed() && !task.observed) [[unlikely]]
    tell_creation(task, true, {});
  if (task.pending.load(std::memory_order_relaxed) != 1)
    defer_for_event(self, task); // its event may come later than its end
  run_task(self, task);
}

// relaxed: as in execute_undeferred().
void begin_undeferred(Thread& self, ExplicitTask& task) {
  if (task.pending.load(std::memory_order_relaxed) != 1)
    defer_for_event(self, task);
  if (ompt::observed() && !task.observed) [[unlikely]]
    tell_creation(task, true, {});
  interrupt(*self.task, task, task.interrupted.value);
  task.begun = true;
  if (task.observed) [[unlikely]]
    task.interrupted.value.observed = ompt::task_is_begun(*task.observed);
}

void end_undeferred(Thread& self, ExplicitTask& task) {
  if (task.observed) [[unlikely]]
    tell_left(task, task.interrupted.value.observed);
  const bool part_follows = resume(*self.task, task.interrupted.value);
  if (leaves_nothing(task)) [[likely]] {
    HETMP_CHECK(!part_follows); // it is attached, then
    give_back_task(&self.task_blocks, &task);
    return;
  }
  end_execution(self, task);
  if (part_follows)
    run_task(self, task);
}

constexpr uint32_t most_in_place = 64;

/// A record that such a task leaves as it was is kept for the thread's next one.
void execute_in_place(Thread& self, void (*function)(void*), void* argument, bool is_final) {
  ImplicitTask& implicit = *self.task;
  HETMP_CHECK(may_execute_in_place(implicit));
  TaskBlocks::List& kept = self.task_blocks.in_place;
  TaskBlock* const block = kept.pop();
  ExplicitTask* const task = block ? static_cast<ExplicitTask*>(block->record()) : &make_task(self, {});
  put_below(generating_task(implicit), *implicit.team, *task);
  task->is_final |= is_final;
  ExplicitTask::Interrupted interrupted;
  interrupt(implicit, *task, interrupted);
  if (!is_discarded(*task)) {
    task->begun = true;
    function(argument);
    HETMP_CHECK(self.task == &implicit && implicit.explicit_task == task); // what it began it has ended
    task->begun = false;
  }
  const bool part_follows = resume(implicit, interrupted);
  HETMP_CHECK(!part_follows); // nobody submits it again
  if (leaves_nothing(*task) && kept.count < most_in_place) {
    task->async_handle = nullptr;
    kept.push(block_of(*task));
  } else {
    end_execution(self, *task);
  }
}

void TasksInARow::execute(ExplicitTask& task) {
  ImplicitTask& implicit = *self_.task;
  // relaxed: nobody else knows of the task yet
  HETMP_CHECK(!task.finalise && !task.attached && task.pending.load(std::memory_order_relaxed) == 1 && !task.observed);
  HETMP_CHECK(!kept_ || kept_ == &task);
  if (!kept_) {
    interrupt(implicit, task, before_);
    kept_ = &task;
  }
  call_code(self_, task);
  if (leaves_nothing(task)) [[likely]] {
    HETMP_CHECK(!implicit.part_follows); // it is attached, then
    memcpy(&implicit.icvs, &before_.icvs, sizeof implicit.icvs);
    task.begun = false;
    task.async_handle = nullptr;
    return;
  }
  kept_ = nullptr;
  const bool part_follows = resume(implicit, before_);
  end_execution(self_, task);
  if (part_follows)
    run_task(self_, task);
}

TasksInARow::~TasksInARow() {
  if (!kept_)
    return;
  resume(*self_.task, before_);
  discard_task(self_, *kept_);
}

} // namespace hetmp::runtime
