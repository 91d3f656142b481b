#include "runtime/tasking/task_journey.hpp"

#include "base/check.hpp"
#include "base/mixed.hpp"
#include "base/raw_call.hpp"
#include "dsm/guest_tasks.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/invoke.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/interruption.hpp"
#include "runtime/team/cancellations.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace hetmp::runtime {
namespace {

using schedulers::TaskSizes;

/// A task's code. All that lies on the thread's stack, so that it is found wherever the thread is.
struct Call {
  TaskFunction function;
  void* body;
  bool tied;
};

/// The signal by which a thread leaves, and whom it is sent to.
struct Departure {
  siginfo_t signal;
  pid_t process, thread;
};

struct Calls {
  const Call* calls;
  std::atomic<uint32_t>* taken; ///< of each one: see TeamTasks::Batch; null: nobody else takes any
  uint32_t made;                ///< bit i: by this thread
  uint32_t count;
  int gtid;
  dsm::TaskSigns* signs; ///< of the one that is executed
  void (*come_home)();
  const Departure* departure; ///< before the first one, if it can; null: none
  bool left;                  ///< there was one
};

HETMP_CALLS_PROGRAM void make_calls(Calls& all) {
  if (const Departure* const leave = all.departure)
    raw::call(SYS_rt_tgsigqueueinfo, leave->process, leave->thread, leave->signal.si_signo, long(&leave->signal));
  for (uint32_t i = 0; i < all.count; i++) {
    // acq_rel: see TeamTasks::Batch
    if (i != 0 && all.taken && all.taken[i].exchange(1, std::memory_order_acq_rel) != 0)
      continue;
    all.made |= 1U << i;
    all.signs->in_parts = all.calls[i].tied ? nullptr : all.calls[i].body;
    do {
      all.signs->part_follows = 0;
      all.calls[i].function(all.gtid, all.calls[i].body);
    } while (all.signs->part_follows != 0);
    if (all.signs->has_settings != 0) { // something to do at home
      all.come_home();
      task_is_over();
    }
  }
}

bool stays(TaskSizes::Way way) { return way == TaskSizes::Way::Stay || way == TaskSizes::Way::Wait; }

/// `stays`: it is not to be executed elsewhere.
__attribute__((noinline)) void make_on_journey(ImplicitTask& implicit, Calls& calls, bool stays) {
  const void* stack_pointer;
  asm volatile("mov %%rsp, %0" : "=r"(stack_pointer));
  const dsm::JourneyPart part{reinterpret_cast<const void*>(calls.calls[0].function), stays ? nullptr : stack_pointer};
  const dsm::JourneyPart before = fabric->begin_part(&part);
  // What the task around has set stays its own.
  dsm::TaskSigns& signs = *calls.signs;
  const char had_settings = signs.has_settings;
  const void* const in_parts = signs.in_parts;
  const TaskIcvs icvs_before = implicit.icvs_before;
  signs.has_settings = 0;
  make_calls(calls);
  calls.come_home(); // before anything else: what follows is this process's own
  implicit.icvs_before = icvs_before;
  signs.has_settings = had_settings;
  signs.in_parts = in_parts;
  signs.part_follows = 0;
  fabric->begin_part(&before);
}

/// Elsewhere from the first instruction on, if the thread may leave now.
__attribute__((noinline)) void leave_and_make(ImplicitTask& implicit, Calls& calls) {
  Departure departure;
  if (fabric->may_depart(&departure.signal)) {
    departure.process = getpid();
    departure.thread = gettid();
    calls.departure = &departure;
    calls.left = true;
  }
  make_on_journey(implicit, calls, false);
  calls.departure = nullptr;
}

/// Whether nothing of the task but its code needs its thread, and of one of parts the first one. Its queue's lock is
/// held, or it has been taken from there. relaxed: as may_travel(); its events are at home.
bool is_plain(const ExplicitTask& task) {
  const CodeRange plain = code_that_calls_program();
  const auto* const function = reinterpret_cast<const void*>(task.function);
  return function >= plain.begin && function < plain.end && task.deferred && !task.begun && !task.for_helpers &&
         task.pending.load(std::memory_order_relaxed) == 1;
}

/// Whether the code of `other` may be executed as a part of `task`. To the runtime they are one meanwhile: the children
/// of both are the first one's, and what waits for one of them waits for all.
bool can_be_part_of(const ExplicitTask& other, const ExplicitTask& task) {
  return is_plain(other) && !other.dependence && !task.dependence && other.priority == task.priority &&
         other.parent == task.parent && other.member_of == task.member_of && other.is_final == task.is_final &&
         other.icvs.value == task.icvs.value;
}

TaskSizes& sizes_of(TeamTasks& tasks, TeamTasks::Member& member, const void* region) {
  if (member.sizes_are_of != region) {
    member.sizes_are_of = region;
    member.sizes.forget();
    member.pause_ns = 0;
    tasks.stay_until.store(0, std::memory_order_relaxed); // a hint
  }
  return member.sizes;
}

Calls calls_of(const Thread& self, const Call* calls, std::atomic<uint32_t>* taken, uint32_t count) {
  return {calls, taken, 0, count, self.gtid, self.task->signs, fabric->come_home, nullptr, false};
}

/// One after the other, as the first one.
void run_as_first(Thread& self, ExplicitTask* const* tasks, Calls& calls, TaskSizes::Way way) {
  ImplicitTask& implicit = *self.task;
  SetLater<ExplicitTask::Interrupted> interrupted;
  interrupt(implicit, *tasks[0], interrupted.value);
  way == TaskSizes::Way::Leave ? leave_and_make(implicit, calls) : make_on_journey(implicit, calls, stays(way));
  HETMP_CHECK(self.task == &implicit && implicit.explicit_task == tasks[0]); // what they began they have ended
  const bool part_follows = resume(implicit, interrupted.value);
  HETMP_CHECK(!part_follows && (calls.made & 1) != 0); // all parts have been executed
}

/// What has become of a task and others that it was executed with.
struct Executed {
  uint32_t tasks;
  bool left; ///< with the first instruction
};

__attribute__((noinline)) Executed run_one(Thread& self, ExplicitTask& task, TaskSizes::Way way) {
  ExplicitTask* const one = &task;
  const Call call{task.function, task.body, task.tied};
  Calls calls = calls_of(self, &call, nullptr, 1);
  task.begun = true;
  run_as_first(self, &one, calls, way);
  end_execution(self, task);
  return {1, calls.left};
}

/// At most so many. Elsewhere, unless these turn out to be too few: of a recursion only those leave together that one
/// task has generated.
__attribute__((noinline)) Executed run_several(Thread& self, ExplicitTask& first, uint32_t most,
                                               const GeneratingTask* constraint, const TaskSizes& sizes) {
  TeamTasks& team_tasks = tasks_of(*self.task->team);
  const uint32_t own_number = self.task->local_number;
  ExplicitTask* tasks[TaskSizes::most_tasks] = {&first};
  uint32_t count = 1;
  TeamTasks::Member& own = team_tasks.members[own_number];
  const bool inside = own.batch.count != 0; // of another one, whose rest others may take; written by this thread only
  while (count < most && !inside) {
    ExplicitTask* const next = own.queue.take_newest(
        [&](const ExplicitTask& other) { return may_run(other, constraint) && can_be_part_of(other, first); });
    if (!next)
      break;
    tasks[count++] = next;
  }
  const bool leave = self.task->journey_is_drawn || sizes.are_worth_the_way(first.depth, count);
  const TaskSizes::Way way = leave ? TaskSizes::Way::Leave : TaskSizes::Way::Unknown;
  if (count == 1)
    return run_one(self, first, way);
  Call all[TaskSizes::most_tasks];
  std::atomic<uint32_t> taken[TaskSizes::most_tasks];
  for (uint32_t i = 0; i < count; i++) {
    tasks[i]->begun = true;
    all[i] = {tasks[i]->function, tasks[i]->body, tasks[i]->tied};
    taken[i].store(i == 0 ? 1 : 0, std::memory_order_relaxed); // the lock of the batch publishes it
  }
  Calls calls = calls_of(self, all, taken, count);
  team_tasks.begin_batch(own_number, tasks, taken, count);
  run_as_first(self, tasks, calls, way);
  team_tasks.end_batch(own_number);
  uint32_t executed = 0;
  for (uint32_t i = 0; i < count; i++)
    if ((calls.made >> i & 1) != 0) {
      end_execution(self, *tasks[i]);
      executed++;
    }
  return {executed, calls.left};
}

/// For tests.
TaskSizes::Plan drawn_plan() {
  const uint64_t random = mixed(uint64_t(monotonic_nanoseconds()), 0);
  if (random % 4 == 0)
    return {TaskSizes::Way::Unknown, 1};
  return {TaskSizes::Way::Leave, 1 + uint32_t(random >> 8) % 4};
}

} // namespace

void call_on_journey(Thread& self, const ExplicitTask& task) {
  const Call call{task.function, task.body, task.tied};
  Calls calls = calls_of(self, &call, nullptr, 1);
  make_on_journey(*self.task, calls, false);
}

void task_is_over() {
  ImplicitTask& implicit = current_task();
  implicit.icvs = implicit.icvs_before;
  implicit.signs->has_settings = 0;
}

void run_on_journey(Thread& self, ExplicitTask& task, const GeneratingTask* constraint) {
  const ImplicitTask& implicit = *self.task;
  if (!is_plain(task) || regions_may_be_cancelled) {
    run_task(self, task);
    return;
  }
  TeamTasks& team_tasks = tasks_of(*implicit.team);
  TeamTasks::Member& member = team_tasks.members[implicit.local_number];
  TaskSizes& sizes = sizes_of(team_tasks, member, microtask_of(*implicit.team));
  const uint32_t depth = task.depth;
  const bool within = member.keeps_parts;
  TaskSizes::Plan plan =
      implicit.journey_is_drawn
          ? drawn_plan()
          : sizes.plan(depth, member.queue.size(), {.within = within, .again = team_tasks.pause_is_over()});
  if (plan.way == TaskSizes::Way::Leave)
    team_tasks.end_pause(implicit.local_number);
  else if (plan.way == TaskSizes::Way::Stay && !within && depth == 1)
    team_tasks.make_pause(implicit.local_number);
  member.keeps_parts = within || stays(plan.way);
  // relaxed: the thread's own
  const uint64_t generated_before = member.generated.load(std::memory_order_relaxed);
  const bool is_timed = sizes.wants_time(depth);
  const int64_t elsewhere_before_ns = is_timed ? implicit.time_elsewhere() : 0;
  const int64_t cost_before_ns = is_timed ? fabric->cost_at_home() : 0;
  const int64_t began_ns = is_timed ? thread_cpu_nanoseconds() : 0;
  const int64_t pieces_before_ns = is_timed ? std::exchange(member.pieces_away_ns, 0) : 0;
  const Executed executed =
      plan.tasks == 1 ? run_one(self, task, plan.way) : run_several(self, task, plan.tasks, constraint, sizes);
  member.keeps_parts = within;
  if (!is_timed)
    return;
  const int64_t home_ns = thread_cpu_nanoseconds() - began_ns;
  const int64_t away_ns = implicit.time_elsewhere() - elsewhere_before_ns;
  const bool in_pieces = member.pieces_away_ns != 0;
  member.pieces_away_ns = pieces_before_ns + away_ns;
  const bool generated = member.generated.load(std::memory_order_relaxed) != generated_before;
  if (in_pieces)
    sizes.took_in_pieces(depth, generated);
  else
    sizes.took(depth, executed.tasks, double(home_ns + away_ns) / 1000, double(away_ns) / 1000, executed.left,
               generated, double(fabric->cost_at_home() - cost_before_ns) / 1000);
}

} // namespace hetmp::runtime
