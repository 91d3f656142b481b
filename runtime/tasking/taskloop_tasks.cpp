#include "runtime/tasking/taskloop_tasks.hpp"

#include "base/check.hpp"
#include "runtime/ompt/records.hpp"
#include "runtime/tasking/observed_tasks.hpp"
#include "runtime/tasking/undeferred.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/wait.hpp"
#include "schedulers/arithmetic/task_sizes.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::runtime {
namespace {

/// When a thread that nobody can take tasks from looks whether to give some away. To give and to take costs a
/// microsecond, so where tasks are many and small that happens once in a `beat` at most ("heartbeat scheduling": Acar,
/// Chargueraud, Guatto, Rainey, Sieczkowski, PLDI 2018); a loop that is over before has been executed by one thread, at
/// no other cost. Where they are few it happens at once: each may take long. In between, at most one of 32 tasks of a
/// thread's share is executed without a look at the clock.
class Pace {
 public:
  explicit Pace(uint64_t tasks_a_thread) : most_between_(std::min<uint64_t>(tasks_a_thread / 32, 16)), last_(now()) {}

  /// Before each task.
  bool due() {
    if (most_between_ == 0)
      return true;
    if (++since_look_ < between_)
      return false;
    since_look_ = 0;
    if (now() - last_ < beat) {
      between_ = std::min(between_ * 2, most_between_);
      return false;
    }
    between_ = 1;
    return true;
  }

  void given() {
    if (most_between_ != 0)
      last_ = now();
  }

 private:
  static constexpr int64_t beat = 10'000; // nanoseconds

  static int64_t now() { return monotonic_nanoseconds(); }

  const uint64_t most_between_; ///< tasks; 0: it is always due
  uint64_t between_ = 2;        ///< the first of a part is executed before
  uint64_t since_look_ = 0;
  int64_t last_; ///< when this part was begun, or others were given some of it
};

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

/// What is behind its first `kept` tasks.
void give_rest(Thread& self, const ExplicitTask& running, Part& part, uint64_t kept) {
  HETMP_CHECK(part.divisible && kept != 0 && kept < part.end - part.begin);
  Part later = part;
  part.end = later.begin = part.begin + kept;
  submit_beside(self, make_part(self, later), running);
}

/// Whether a part's tasks, which a thread on a journey executes one after the other, are so large that a few together
/// would be worth the way to another node. The clock of CPU time is read some times a part.
class Worth {
 public:
  explicit Worth(bool may_leave) : looks_at_(may_leave ? 1 : 0), began_(may_leave ? thread_cpu_nanoseconds() : 0) {}

  /// Before each task.
  bool is_known() {
    if (looks_at_ == 0 || executed_++ < looks_at_)
      return false;
    looks_at_ = looks_at_ < most_looked_at ? 2 * looks_at_ : 0;
    return thread_cpu_nanoseconds() - began_ >= int64_t(executed_ - 1) * least_ns;
  }

 private:
  static constexpr int64_t least_ns =
      int64_t(1000 * schedulers::TaskSizes::least_us / schedulers::TaskSizes::most_tasks);
  static constexpr uint64_t most_looked_at = 16;
  uint64_t looks_at_; ///< when so many tasks have been executed; 0: no more
  uint64_t executed_ = 0;
  const int64_t began_;
};

/// Makes a part's tasks each by itself, which can be taken together and elsewhere (task_journey.hpp). Not too many at a
/// time: the rest is a part once more.
void submit_part(Thread& self, const ExplicitTask& running, Part& part) {
  constexpr uint64_t most = 2 * schedulers::TaskSizes::most_tasks;
  HETMP_CHECK(part.divisible && part.begin < part.end);
  if (part.end - part.begin > most)
    give_rest(self, running, part, most);
  for (; part.begin != part.end; part.begin++) {
    ExplicitTask& task = part.source->make(self);
    part.source->fill(task, part.begin);
    submit_beside(self, task, running);
  }
}

void execute_one(Thread& self, TaskloopSource& source, uint64_t number, TasksInARow& row) {
  ExplicitTask* const kept = row.kept();
  ExplicitTask& task = kept ? *kept : source.make(self);
  source.fill(task, number);
  if (task.finalise)
    execute_undeferred(self, task);
  else
    row.execute(task);
}

void run_part(int gtid, void* body) {
  Part& part = *static_cast<Part*>(body);
  Thread& self = thread_of(gtid);
  ExplicitTask& running = *self.task->explicit_task;
  const TaskQueue& own = running.team->tasks.members[self.task->local_number].queue;
  TasksInARow row(self);
  Pace pace(part.source->tasks() / running.team->local_threads());
  Worth worth(part.divisible && self.task->has_waited);
  HETMP_CHECK(part.begin <= part.end && part.end <= part.source->tasks());
  while (part.begin != part.end) {
    if (worth.is_known()) {
      submit_part(self, running, part);
      break;
    }
    if (part.divisible && pace.due() && own.size() == 0 && part.end - part.begin > 1) {
      give_rest(self, running, part, (part.end - part.begin) / 2);
      pace.given();
    }
    execute_one(self, *part.source, part.begin++, row);
  }
}

void submit_each(Thread& self, TaskloopSource& source) {
  for (uint64_t number = 0; number < source.tasks(); number++) {
    ExplicitTask& task = source.make(self);
    task.priority = source.priority();
    source.fill(task, number);
    if (ompt::observed()) [[unlikely]] {
      tell_creation(task, false, {});
      task.observed->chunk = source.chunk(number);
    }
    submit_task(self, task);
  }
}

/// For a tool, which is to see each of them made by the task that meets the construct.
void execute_each(Thread& self, TaskloopSource& source) {
  for (uint64_t number = 0; number < source.tasks(); number++) {
    ExplicitTask& task = source.make(self);
    source.fill(task, number);
    tell_creation(task, true, {});
    task.observed->chunk = source.chunk(number);
    execute_undeferred(self, task);
  }
}

} // namespace

void generate_taskloop(Thread& self, TaskloopSource& source, TaskloopExecution execution) {
  if (generating_task(*self.task).is_final || has_nobody_to_leave_tasks_to(*self.task->team))
    execution = TaskloopExecution::Undeferred;
  else if (execution == TaskloopExecution::MadeLate &&
           (source.priority() != 0 || !program_icvs().task_throttling || self.task->team->global || ompt::observed()))
    execution = TaskloopExecution::Submitted; // each has its place in the order, none is executed at once, or other
                                              // nodes may take some, or a tool is to see each of them made
  if (execution == TaskloopExecution::Submitted)
    submit_each(self, source);
  else if (ompt::observed()) [[unlikely]]
    execute_each(self, source);
  else if (source.tasks() != 0)
    execute_undeferred(self, make_part(self, {&source, 0, source.tasks(), execution == TaskloopExecution::MadeLate}));
  source.release();
}

} // namespace hetmp::runtime
