// Events of explicit tasks and of work sharing (events.hpp).
#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/ompt/telling.hpp"

#include <utility>

namespace hetmp::runtime::ompt {

// ---- work sharing

void work_begins(WorkKind kind, uint64_t count) {
  const ThreadRecord& self = *observed();
  TaskRecord* const task = self.task;
  if (!task)
    return;
  task->work = kind;
  task->work_count = count;
  task->in_work = true;
  tell<Event::Work>(kind, Endpoint::Begin, data_of(task->region), &task->data, count, self.caller);
}

void work_ends() {
  const ThreadRecord& self = *observed();
  TaskRecord* const task = self.task;
  if (!task || !std::exchange(task->in_work, false))
    return;
  tell<Event::Work>(task->work, Endpoint::End, data_of(task->region), &task->data, task->work_count, self.caller);
}

void tell_single_other() {
  const ThreadRecord& self = *observed();
  if (!self.task)
    return;
  for (const Endpoint endpoint : {Endpoint::Begin, Endpoint::End})
    tell<Event::Work>(WorkKind::SingleOther, endpoint, data_of(self.task->region), &self.task->data, uint64_t(1),
                      self.caller);
}

void tell_chunk(DispatchKind kind, uint64_t start, uint64_t iterations) {
  const ThreadRecord& self = *observed();
  if (!self.task)
    return;
  DispatchChunk chunk = {start, iterations};
  tell<Event::Dispatch>(data_of(self.task->region), &self.task->data, kind, Data{.pointer = &chunk});
}

void tell_section(const void* code) {
  const ThreadRecord& self = *observed();
  if (self.task)
    tell<Event::Dispatch>(data_of(self.task->region), &self.task->data, DispatchKind::Section,
                          Data{.pointer = const_cast<void*>(code)});
}

// ---- tasks

TaskRecord* task_is_created(int flags, bool has_dependences, const void* body, uint64_t body_bytes) {
  const ThreadRecord* const self = observed(); // null: a callback has just ended the tool
  HETMP_CHECK((flags & (task_explicit | task_taskwait)) != 0);
  auto* const task = new TaskRecord;
  task->flags = flags;
  task->body = body;
  task->body_bytes = body_bytes;
  TaskRecord* const parent = self ? self->task : nullptr;
  tell<Event::TaskCreate>(parent ? &parent->data : static_cast<Data*>(nullptr),
                          parent ? &parent->frame : static_cast<const Frame*>(nullptr), &task->data, flags,
                          int(has_dependences), self ? self->caller : static_cast<const void*>(nullptr));
  return task;
}

void tell_dependences(TaskRecord& task, const Dependence* list, int count) {
  tell<Event::Dependences>(&task.data, list, count);
}

void tell_own_dependences(const Dependence* list, int count) {
  if (const ThreadRecord& self = *observed(); self.task)
    tell_dependences(*self.task, list, count);
}

void tell_dependence(TaskRecord& source, TaskRecord& sink) { tell<Event::TaskDependence>(&source.data, &sink.data); }

namespace {

/// Reads and writes nothing of the task but where its data are.
void part_is_told(TaskRecord& task, TaskStatus status, TaskRecord& before) {
  observed()->task = &before;
  tell<Event::TaskSchedule>(&task.data, status, &before.data);
}

} // namespace

TaskRecord* task_is_begun(TaskRecord& task) {
  ThreadRecord* const self = observed();
  if (!self || !self->task)
    return nullptr;
  HETMP_CHECK(self->task != &task);
  TaskRecord* const before = self->task;
  tell<Event::TaskSchedule>(&before->data, self->yields ? TaskStatus::Yield : TaskStatus::Switch, &task.data);
  self->yields = false;
  task.below = before;
  task.region = before->region;
  task.number = before->number;
  task.team_size = before->team_size;
  self->task = &task;
  if (task.chunk.iterations != 0)
    tell<Event::Dispatch>(data_of(task.region), &task.data, DispatchKind::TaskloopChunk, Data{.pointer = &task.chunk});
  return before;
}

void tell_discarded(TaskRecord& task) {
  tell<Event::Cancel>(&task.data, cancels_taskgroup | cancel_discarded_task, static_cast<const void*>(nullptr));
}

void task_is_left(TaskRecord& task, TaskStatus status, TaskRecord* before) {
  HETMP_CHECK(before != &task);
  if (!before || !observed())
    return;
  task.frame.exit.pointer = nullptr;
  if (status == TaskStatus::Detach)
    task.is_detached.store(true, std::memory_order_relaxed); // relaxed: see the member
  part_is_told(task, status, *before);
}

void part_is_left(TaskRecord& task, TaskRecord* before) {
  if (before && observed())
    part_is_told(task, TaskStatus::Switch, *before);
}

void tell_taskwait_complete(TaskRecord& taskwait) {
  tell<Event::TaskSchedule>(&taskwait.data, TaskStatus::TaskwaitComplete, static_cast<Data*>(nullptr));
}

void tell_fulfilment(TaskRecord& task) {
  // relaxed: see the member
  tell<Event::TaskSchedule>(
      &task.data, task.is_detached.load(std::memory_order_relaxed) ? TaskStatus::LateFulfil : TaskStatus::EarlyFulfil,
      static_cast<Data*>(nullptr));
}

void forget_task(TaskRecord* task) { delete task; }

} // namespace hetmp::runtime::ompt
