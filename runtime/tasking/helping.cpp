#include "runtime/tasking/helping.hpp"

#include "runtime/task_graph/dependences.hpp"
#include "runtime/tasking/task_reduction.hpp"

#include <cstdlib>

namespace hetmp::runtime {
namespace {

/// Of tasks that are begun while the present one waits.
const GeneratingTask* own_constraint(ImplicitTask& task) {
  return task.explicit_task ? task.constraint : &task.generator;
}

/// Whether the worker leaves the team's region or has left it; true for the first who asks. What it left before says
/// nothing, so its primary need not reset that at each start.
bool take_leaving(Thread& worker, const NodeTeam& team) {
  uint64_t region = team.region_end.region();
  return worker.leaving.compare_exchange_strong(region, 0, std::memory_order_acq_rel);
}

} // namespace

void wait_for_children(Thread& self) {
  ImplicitTask& implicit = *self.task;
  GeneratingTask& task = generating_task(implicit);
  if (task.has_unfinished_children())
    help_until(self, own_constraint(implicit), [&] { return !task.has_unfinished_children(); });
}

void wait_for_dependences(Thread& self, std::vector<Dependence> dependences, bool nowait) {
  ImplicitTask& implicit = *self.task;
  GeneratingTask& task = generating_task(implicit);
  if (!task.dependences)
    return; // there is nothing to wait for, and this would not delay what comes later
  for (Dependence& item : dependences)
    if (item.kind == DependenceKind::MutexInOutSet) // it excludes nobody
      item.kind = DependenceKind::InOut;
  DependenceNode* node = new DependenceNode;
  node->awaited = !nowait;
  task.dependences->insert(*node, std::move(dependences));
  const bool ready = is_inserted(*node);
  if (nowait && !ready)
    return;
  if (!ready)
    help_until(self, own_constraint(implicit), [&] { return node->predecessors.load(std::memory_order_seq_cst) == 0; });
  std::vector<ExplicitTask*> next;
  complete(*node, next); // nobody can have been put behind it: the task that could has waited
  release(node);
}

void yield_to_task(Thread& self) {
  ImplicitTask& implicit = *self.task;
  const GeneratingTask* constraint = own_constraint(implicit);
  if (!implicit.team->released.tasks_announced())
    return;
  if (ExplicitTask* task = implicit.team->tasks.take(implicit.local_number, constraint)) {
    const GeneratingTask* outer = std::exchange(implicit.constraint, constraint);
    run_task(self, *task);
    implicit.constraint = outer;
  }
}

void begin_taskgroup(Thread& self) {
  GeneratingTask& task = generating_task(*self.task);
  TaskGroup* group = new TaskGroup;
  group->outer = task.group;
  group->reduction_tables = task.group ? task.group->reduction_tables : nullptr;
  task.group = group;
}

void end_taskgroup(Thread& self) {
  ImplicitTask& implicit = *self.task;
  GeneratingTask& task = generating_task(implicit);
  TaskGroup* group = task.group;
  if (!group)
    return;
  const auto done = [&] { return group->unfinished.load(std::memory_order_seq_cst) == 0; };
  if (!done())
    help_until(self, own_constraint(implicit), done);
  finish_reductions(self, *group);
  task.group = group->outer;
  delete group;
}

void announce_tasks(NodeTeam& team) {
  if (team.released.tasks_announced())
    return;
  // This thread has not left the region, so the count of those that have not cannot be at its end while it is raised.
  if (team.local_threads() > 1 && !team.region_end.tasks_announced() && team.region_end.announce_tasks()) {
    for (uint32_t local = 1; local < team.local_threads(); local++) {
      Thread& worker = *team.crew[local - 1];
      if (!take_leaving(worker, team)) // see leave_region()
        continue;
      team.region_end.add(1);
      worker.called_back = true;
      worker.go.post();
    }
  }
  team.released.announce_tasks();
}

void reset_tasking(ImplicitTask& task) {
  delete std::exchange(task.generator.dependences, nullptr);
  task.generator.children.store(GeneratingTask::one_record, std::memory_order_relaxed);
  task.generator.group = nullptr;
  task.generator.lock_owner = 0;
  task.explicit_task = nullptr;
  task.constraint = nullptr;
  task.team_reductions = 0;
  for (void*& memory : task.construct_memory)
    free(std::exchange(memory, nullptr));
}

void help_at_barrier(ImplicitTask& task, uint32_t epoch) {
  NodeTeam& team = *task.team;
  help_until(current_thread(), nullptr, [&] { return team.released.epoch() != epoch; });
}

void finish_tasks(ImplicitTask& task) {
  NodeTeam& team = *task.team;
  help_until(current_thread(), nullptr, [&] { return team.tasks.all_complete(); });
}

void leave_region(Thread& worker, NodeTeam& team) {
  // release: pairs with announce_tasks(), which writes to this thread's record when it sees this. That it does see it
  // once this worker is not counted any more is leave_unless_tasks()'s doing.
  worker.leaving.store(team.region_end.region(), std::memory_order_release);
  ImplicitTask* task = std::exchange(worker.task, nullptr);
  if (team.region_end.leave_unless_tasks())
    return;
  if (take_leaving(worker, team)) {
    worker.task = task;
    const uint32_t epoch = team.released.epoch(); // no barrier is left in the region: its end moves it on
    team.region_end.helping.fetch_add(1, std::memory_order_seq_cst);
    team.tasks.bell.ring();
    help_until(worker, nullptr, [&] { return team.released.epoch() != epoch; });
    worker.task = nullptr;
  } // else it has been called back, taken for one that has left: it comes once more
  team.region_end.leave();
}

void finish_region(Thread& primary, NodeTeam& team) {
  if (team.local_threads() == 1) {
    if (team.released.tasks_announced()) {
      finish_tasks(*primary.task);
      team.released.complete_with_tasks();
    }
    return;
  }
  if (team.region_end.wait_or_tasks())
    return;
  help_until(primary, nullptr, [&] {
    // Helping workers are among those that have not left, so read in this order the two are equal only if all of these
    // help.
    const uint32_t helping = team.region_end.helping.load(std::memory_order_seq_cst);
    return team.region_end.workers() == helping && team.tasks.all_complete();
  });
  team.released.complete_with_tasks();
  team.tasks.bell.ring();
  team.region_end.wait();
}

} // namespace hetmp::runtime
