#include "runtime/tasking/taskloop_tasks.hpp"

#include "runtime/core/node_team.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

/// A range of the tasks, as the body of a task of the library's own.
struct Part {
  TaskloopSource* source;
  uint64_t begin, end;
  bool divisible; ///< others may have a share
};

void run_part(int gtid, void* body);

/// Also of one that is discarded.
void end_part(int, void* body) { static_cast<Part*>(body)->source->release(); }

ExplicitTask& make_part(Thread& self, const Part& part) {
  part.source->retain();
  TaskRequest request;
  request.function = run_part;
  request.finalise = end_part;
  request.body_bytes = sizeof(Part);
  ExplicitTask& task = make_task(self, request);
  *static_cast<Part*>(task.body) = part;
  return task;
}

void give_half(Thread& self, ExplicitTask& running, Part& part) {
  Part later = part;
  part.end = later.begin = part.begin + (part.end - part.begin) / 2;
  submit_beside(self, make_part(self, later), running);
}

/// `kept`: a record of an earlier task that may be used again, or null.
void execute_one(Thread& self, TaskloopSource& source, uint64_t number, ExplicitTask*& kept) {
  ExplicitTask* task = std::exchange(kept, nullptr);
  if (!task)
    task = &source.make(self);
  source.fill(*task, number);
  if (task->finalise)
    execute_undeferred(self, *task);
  else if (execute_and_keep(self, *task))
    kept = task;
}

void run_part(int gtid, void* body) {
  Part& part = *static_cast<Part*>(body);
  Thread& self = thread_of(gtid);
  ExplicitTask& running = *self.task->explicit_task;
  const TaskQueue& own = running.team->tasks.members[self.task->local_number].queue;
  ExplicitTask* kept = nullptr;
  while (part.begin != part.end) {
    if (part.divisible && own.size() == 0 && part.end - part.begin > 1)
      give_half(self, running, part);
    execute_one(self, *part.source, part.begin++, kept);
  }
  if (kept)
    discard_task(self, *kept);
}

void submit_each(Thread& self, TaskloopSource& source) {
  for (uint64_t number = 0; number < source.tasks(); number++) {
    ExplicitTask& task = source.make(self);
    task.priority = source.priority();
    source.fill(task, number);
    submit_task(self, task);
  }
}

} // namespace

void generate_taskloop(Thread& self, TaskloopSource& source, TaskloopExecution execution) {
  if (generating_task(*self.task).is_final || has_nobody_to_leave_tasks_to(*self.task->team))
    execution = TaskloopExecution::Undeferred;
  else if (execution == TaskloopExecution::MadeLate &&
           (source.priority() != 0 || !program_icvs().task_throttling || self.task->team->global))
    execution = TaskloopExecution::Submitted; // each has its place in the order, none is executed at once, or other nodes may take some
  if (execution == TaskloopExecution::Submitted)
    submit_each(self, source);
  else if (source.tasks() != 0)
    execute_undeferred(self, make_part(self, {&source, 0, source.tasks(), execution == TaskloopExecution::MadeLate}));
  source.release();
}

} // namespace hetmp::runtime
