#include "runtime/tasking/helping.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/tasking/help_until.hpp"
#include "runtime/tasking/observed_tasks.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/team/calling_back.hpp"

#include <cstdlib>
#include <sched.h>

namespace hetmp::runtime {
namespace {

/// Of tasks that are begun while the present one waits.
const GeneratingTask* own_constraint(ImplicitTask& task) {
  return task.explicit_task ? task.constraint : &task.generator;
}

/// What an initial thread's target tasks do is part of its initial task, whose end waits for it.
void finish_target_tasks(Thread& root) {
  const bool has_helpers = program_icvs().helper_threads != 0;
  if (has_helpers && root.task == &root.initial && root.initial.team->released.tasks_announced())
    finish_tasks(root.initial);
}

} // namespace

namespace {

__attribute__((noinline)) void help_children(Thread& self, ImplicitTask& implicit, GeneratingTask& task) {
  const ompt::SyncRegion told(ompt::SyncKind::Taskwait);
  if (task.has_unfinished_children())
    help_until(self, own_constraint(implicit), [&] { return !task.has_unfinished_children(); });
}

} // namespace

void wait_for_children(Thread& self) {
  GeneratingTask& task = generating_task(*self.task);
  if (task.has_unfinished_children() || ompt::observed())
    help_children(self, *self.task, task);
}

void wait_for_dependences(Thread& self, std::vector<Dependence> dependences, bool nowait) {
  ImplicitTask& implicit = *self.task;
  GeneratingTask& task = generating_task(implicit);
  ompt::TaskRecord* const told = ompt::observed() && !nowait ? tell_taskwait(dependences, nowait) : nullptr;
  if (!task.dependences) {
    if (told) [[unlikely]]
      tell_taskwait_over(told);
    return; // there is nothing to wait for, and this would not delay what comes later
  }
  for (Dependence& item : dependences)
    if (item.kind == DependenceKind::MutexInOutSet) // it excludes nobody
      item.kind = DependenceKind::InOut;
  DependenceNode* node = new DependenceNode;
  node->awaited = !nowait;
  node->observed = told;
  task.dependences->insert(*node, std::move(dependences));
  const bool ready = is_inserted(*node);
  if (nowait && !ready)
    return;
  if (!ready)
    help_until(self, own_constraint(implicit), [&] { return node->predecessors.load(std::memory_order_seq_cst) == 0; });
  HETMP_CHECK(node->predecessors.load(std::memory_order_relaxed) == 0); // relaxed: seen above
  std::vector<ExplicitTask*> next;
  complete(*node, next); // nobody can have been put behind it: the task that could has waited
  if (told) [[unlikely]]
    tell_taskwait_over(told);
  release(node);
}

bool yield_to_task(Thread& self) {
  ImplicitTask& implicit = *self.task;
  const GeneratingTask* constraint = own_constraint(implicit);
  if (!implicit.team->released.tasks_announced())
    return false;
  ExplicitTask* const task = implicit.team->tasks.take(implicit.local_number, constraint);
  if (!task)
    return false;
  const GeneratingTask* outer = std::exchange(implicit.constraint, constraint);
  if (ompt::ThreadRecord* const told = ompt::observed()) [[unlikely]]
    told->yields = true;
  run_task(self, *task);
  implicit.constraint = outer;
  return true;
}

void let_others_catch_up(Thread& self) {
  if (spinning.has_several_cpus())
    return; // they have theirs, and want more to do
  while (yield_to_task(self)) {
  }
  sched_yield();
}

void begin_taskgroup(Thread& self) {
  GeneratingTask& task = generating_task(*self.task);
  TaskGroup* group = new TaskGroup;
  group->outer = task.group;
  group->reduction_tables = task.group ? task.group->reduction_tables : nullptr;
  task.group = group;
  if (ompt::observed()) [[unlikely]]
    ompt::taskgroup_begins();
}

void end_taskgroup(Thread& self) {
  ImplicitTask& implicit = *self.task;
  GeneratingTask& task = generating_task(implicit);
  TaskGroup* group = task.group;
  if (!group)
    return;
  const auto done = [&] { return group->unfinished.load(std::memory_order_seq_cst) == 0; };
  const ompt::TaskgroupEnd told;
  if (!done())
    help_until(self, own_constraint(implicit), done);
  HETMP_CHECK(done() && task.group == group); // tasks that were executed meanwhile have ended theirs
  finish_reductions(*self.task, *group);
  task.group = group->outer;
  delete group;
}

void announce_tasks(Thread& self, NodeTeam& team) {
  HETMP_CHECK(self.task->team == &team);
  if (team.released.tasks_announced())
    return;
  self.before_end = finish_target_tasks; // and stays so, as long as the record and its initial team, which has the bit
  // This thread has not left the region, so the count of those that have not cannot be at its end while it is raised.
  if (team.local_threads() > 1 && !team.region_end.tasks_announced() && team.region_end.announce_tasks()) {
    for (uint32_t local = 1; local < team.local_threads(); local++) {
      Thread& worker = *team.crew[local - 1];
      if (!take_leaving(worker, team)) // see regions/leaving.cpp
        continue;
      team.region_end.add(1);
      HETMP_CHECK(!worker.called_back && worker.next_team == &team && worker.next_local_number == local);
      worker.called_back = true;
      worker.go.post();
    }
  }
  team.released.announce_tasks();
}

void reset_tasking(ImplicitTask& task) {
  // relaxed: the tasks of the region before are complete, as its end has shown, and so are their records gone.
  HETMP_CHECK(task.generator.children.load(std::memory_order_relaxed) == GeneratingTask::one_record);
  delete std::exchange(task.generator.dependences, nullptr);
  // relaxed: the tasks of the region before are complete, as its end has shown, and there is none yet of this one.
  task.generator.children.store(GeneratingTask::one_record, std::memory_order_relaxed);
  task.generator.group = nullptr;
  task.generator.lock_owner = 0;
  task.nested = 0;
  task.explicit_task = nullptr;
  task.constraint = nullptr;
  task.team_reductions = 0;
  for (void*& memory : task.construct_memory)
    free(std::exchange(memory, nullptr));
}

// relaxed: a forked child has one thread.
void forget_unfinished_tasks(Thread& self) {
  ImplicitTask& implicit = self.initial;
  if (self.task != &implicit || implicit.explicit_task)
    return;
  implicit.generator.children.store(GeneratingTask::one_record, std::memory_order_relaxed);
  implicit.generator.dependences = nullptr; // not deleted: locks in it may be held for ever
  for (TaskGroup* group = implicit.generator.group; group; group = group->outer)
    group->unfinished.store(0, std::memory_order_relaxed);
  implicit.team->tasks.forget(1);
}

void help_at_barrier(ImplicitTask& task, uint32_t epoch) {
  NodeTeam& team = *task.team;
  help_until(current_thread(), nullptr, [&] { return team.released.epoch() != epoch; });
}

void finish_tasks(ImplicitTask& task) {
  NodeTeam& team = *task.team;
  help_until(current_thread(), nullptr, [&] { return team.tasks.all_complete(); });
}

} // namespace hetmp::runtime
