#include "runtime/tasking/execution.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/tasking/helpers.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/interruption.hpp"
#include "runtime/tasking/observed_tasks.hpp"
#include "runtime/tasking/task_journey.hpp"
#include "runtime/tasking/task_watch.hpp"
#include "runtime/tasking/undeferred.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

// ---- completion

/// Puts it where the team's threads find it, and through them other nodes. By one of these threads.
void make_ready(NodeTeam& team, uint32_t local_thread, ExplicitTask& task) {
  HETMP_CHECK(task.deferred && task.attached && task.team == &team);
  team.tasks.push(local_thread, &task);
  if (team.global)
    watch_tasks(team);
}

/// Its parent.
GeneratingTask* free_record(TaskBlocks* blocks, GeneratingTask* task) {
  ExplicitTask* record = static_cast<ExplicitTask*>(task); // never an implicit task: its own record does not go
  GeneratingTask* parent = record->parent;
  HETMP_CHECK(parent && record->depth == parent->depth + 1);
  give_back_task(blocks, record);
  return parent;
}

/// There is one record less of those that `task` counts. Frees what nobody needs any more, on the way up.
void drop_record(TaskBlocks* blocks, GeneratingTask* task) {
  // acq_rel: whoever takes the last record away sees all that others did with the task.
  while (true) {
    const uint64_t before = task->children.fetch_sub(GeneratingTask::one_record, std::memory_order_acq_rel);
    HETMP_CHECK(before >> 32 != 0);
    if (before >> 32 != 1)
      return;
    HETMP_CHECK(uint32_t(before) == 0); // no record goes before its children are complete
    task = free_record(blocks, task);
  }
}

/// Of a task that is complete and that only this thread knows of, but for its children. Its parent, which has been
/// waiting for it, is there all the time.
void leave_unattached(TaskBlocks* blocks, ExplicitTask* task) {
  // Without records of children nobody else knows of it. acquire: pairs with drop_record() by those that did.
  if (task->children.load(std::memory_order_acquire) == GeneratingTask::one_record) {
    give_back_task(blocks, task);
    return;
  }
  // Its children go up to it. relaxed: drop_record() orders it before what takes this record of the parent away.
  task->parent->children.fetch_add(GeneratingTask::one_record, std::memory_order_relaxed);
  drop_record(blocks, task);
}

/// Of a task that is complete. Whether its parent has no unfinished child any more. seq_cst: a thread may be waiting
/// for that.
bool leave_parent(TaskBlocks* blocks, ExplicitTask* task) {
  if (!task->attached) {
    leave_unattached(blocks, task);
    return false;
  }
  GeneratingTask* parent = task->parent;
  // Without records of children nobody else knows of it. acquire: pairs with drop_record() by those that did.
  if (task->children.load(std::memory_order_acquire) == GeneratingTask::one_record) {
    const uint64_t before =
        parent->children.fetch_sub(GeneratingTask::one_child + GeneratingTask::one_record, std::memory_order_seq_cst);
    HETMP_CHECK(uint32_t(before) != 0 && before >> 32 != 0);
    give_back_task(blocks, task);
    if (before >> 32 == 1)
      drop_record(blocks, free_record(blocks, parent));
    return uint32_t(before) == 1;
  }
  // The task's own record goes last: it keeps the parent's, and the last child may free both as soon as it is gone.
  const uint64_t before = parent->children.fetch_sub(GeneratingTask::one_child, std::memory_order_seq_cst);
  HETMP_CHECK(uint32_t(before) != 0 && before >> 32 != 0);
  drop_record(blocks, task);
  return uint32_t(before) == 1;
}

/// `self`: null for a thread that is not, or need not be, one of the team.
void complete_task(Thread* self, ExplicitTask& task) {
  NodeTeam& team = *task.team;
  const bool deferred = task.deferred;
  // Its parent runs, and has not come to where it waits for its children; nor has the one that the taskgroup is of,
  // the parent or one that waits for the parent.
  const bool at_once = task.executed_at_once && self;
  HETMP_CHECK(task.attached || !deferred); // the barrier waits only for tasks that their parents count
  // relaxed: end_part() has ordered it
  HETMP_CHECK(!task.attached || task.pending.load(std::memory_order_relaxed) == 0);
  HETMP_CHECK(!deferred || !self || self->task->team == &team);
  bool somebody_may_wait = false;
  if (task.finalise)
    task.finalise(current_thread().gtid, task.body);
  delete std::exchange(task.dependences, nullptr);
  if (DependenceNode* node = std::exchange(task.dependence, nullptr)) {
    std::vector<ExplicitTask*> ready;
    somebody_may_wait = complete(*node, ready);
    release(node);
    for (ExplicitTask* next : ready) {
      if (next->for_helpers)
        give_to_helpers(*next);
      else if (self)
        make_ready(team, self->task->local_number, *next);
      else
        team.tasks.push_from_outside(next);
    }
  }
  if (task.member_of && task.attached) {
    // seq_cst: what the taskgroup's end waits for.
    const uint32_t before = task.member_of->unfinished.fetch_sub(1, std::memory_order_seq_cst);
    HETMP_CHECK(before != 0);
    somebody_may_wait |= before == 1 && !at_once;
  }
  somebody_may_wait |= leave_parent(self ? &self->task_blocks : nullptr, &task) && !at_once;
  // Last, as all_complete() wants it.
  if (deferred && self)
    team.tasks.count_completed(self->task->local_number);
  else if (deferred)
    team.tasks.completed_elsewhere.fetch_add(1, std::memory_order_seq_cst);
  if (somebody_may_wait || !self)
    team.tasks.bell.ring(); // the team's record stays, whoever has gone on
}

/// One of what ExplicitTask::pending counts is over. `self`: null for a thread that is not, or need not be, one of the
/// team.
void end_part(Thread* self, ExplicitTask& task) {
  if (self && leaves_nothing(task)) [[likely]] {
    give_back_task(&self->task_blocks, &task);
    return;
  }
  // One that nobody else knows of has one part. acq_rel: who completes the task sees what its other parts did.
  if (!task.attached || task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
    complete_task(self, task);
}

} // namespace

// ---- execution

// relaxed: a task whose thread sees it too late runs, which is allowed.
bool is_cancelled(const ExplicitTask& task) {
  if (task.team->cancelled.region.load(std::memory_order_relaxed))
    return true;
  for (const TaskGroup* group = task.member_of; group; group = group->outer)
    if (group->cancelled.load(std::memory_order_relaxed))
      return true;
  return false;
}

namespace {

/// Before others may learn of the task. One that its generating thread executes at once, from beginning to end, need
/// not be: nobody who could wait for it goes on meanwhile, and the taskgroup cannot end as the parent belongs to it, or
/// waits itself.
void attach(ExplicitTask& task) {
  if (task.attached)
    return;
  HETMP_CHECK(task.parent && task.parent != &task && !task.deferred);
  task.attached = true;
  // relaxed: the parent runs; its children complete, and are waited for, by operations that order more.
  task.parent->children.fetch_add(GeneratingTask::one_child + GeneratingTask::one_record, std::memory_order_relaxed);
  if (task.member_of)
    task.member_of->unfinished.fetch_add(1, std::memory_order_relaxed);
}

/// The team's barrier waits for it.
void defer(Thread& self, ExplicitTask& task) {
  if (task.deferred)
    return;
  attach(task);
  task.icvs.value = self.task->icvs;
  HETMP_CHECK(task.attached && task.pending.load(std::memory_order_relaxed) != 0);
  task.deferred = true;
  HETMP_CHECK(task.team == self.task->team); // whose counters these are
  task.team->tasks.count_generated(self.task->local_number);
  announce_tasks(self, *task.team);
}

void submit_again(Thread& self, ExplicitTask& task) {
  task.executed_at_once = false; // its next part may be executed by any thread, while the parent waits
  task.icvs.value = self.task->icvs;
  task.pending.fetch_add(1, std::memory_order_relaxed); // relaxed: the part that runs still counts
  hand_on_observed();
  defer(self, task);
  if (task.for_helpers)
    give_to_helpers(task);
  else if (task.team->local_threads() == 1 || self.stands_in) // as with a whole one: is_executed_at_once()
    self.task->part_follows = true;
  else
    make_ready(*task.team, self.task->local_number, task);
}

/// Tasks that a thread executes inside of each other only because it has plenty. Where each generates the next one, a
/// stack would not hold them all.
constexpr uint32_t most_nested = 128;

/// Whether it is executed by the thread that generates it whatever others do.
bool is_included(const Thread& self, const ExplicitTask& task) {
  return self.stands_in || task.parent->is_final || task.team->alone();
}

/// Whether it is executed at once, if it depends on nothing.
bool is_executed_at_once(Thread& self, const ExplicitTask& task) {
  NodeTeam& team = *task.team;
  // Alone on its node a thread keeps only what others are there to take: it may wait for the task itself, without ever
  // executing it.
  const bool for_others =
      team.local_threads() > 1 || (may_travel(task) && tasks_may_leave(team) && somebody_waits(team));
  const bool included = self.stands_in || task.parent->is_final || !for_others;
  return included || (task.priority == 0 && program_icvs().task_throttling && self.task->nested < most_nested &&
                      team.tasks.has_plenty(self.task->local_number,
                                            team.travels && team.tasks.others_leave(self.task->local_number)));
}

} // namespace

void call_code(Thread& self, ExplicitTask& task) {
  if (!task.begun && is_discarded(task))
    return;
  ImplicitTask& implicit = *self.task;
  task.begun = true;
  implicit.has_waited ? call_on_journey(self, task) : task.function(self.gtid, task.body);
  HETMP_CHECK(self.task == &implicit && implicit.explicit_task == &task); // what it began it has ended
}

namespace {

/// As resume().
bool run_code(Thread& self, ExplicitTask& task) {
  ImplicitTask& implicit = *self.task;
  SetLater<ExplicitTask::Interrupted> interrupted;
  interrupt(implicit, task, interrupted.value);
  ompt::TaskRecord* const before = task.observed ? ompt::task_is_begun(*task.observed) : nullptr;
  call_code(self, task);
  if (task.observed) [[unlikely]]
    tell_left(task, before);
  return resume(implicit, interrupted.value);
}

/// Whether it is ready.
bool insert(ExplicitTask& task, std::vector<Dependence> dependences) {
  if (dependences.empty())
    return true;
  DependenceNode* node = new DependenceNode;
  node->task = &task;
  node->observed = task.observed;
  task.dependence = node;
  dependences_of(*task.parent).insert(*node, std::move(dependences));
  return is_inserted(*node) && enter_exclusions(*node);
}

void submit_to_helpers(Thread& self, ExplicitTask& task, std::vector<Dependence> dependences) {
  defer(self, task);
  if (insert(task, std::move(dependences)))
    give_to_helpers(task);
}

} // namespace

void submit_task(Thread& self, ExplicitTask& task, std::vector<Dependence> dependences) {
  ImplicitTask& implicit = *self.task;
  if (implicit.explicit_task == &task) {
    submit_again(self, task);
    return;
  }
  if (ompt::observed() && !task.observed) [[unlikely]]
    tell_creation(task, is_included(self, task), dependences);
  if (task.for_helpers) [[unlikely]] {
    task.for_helpers = suits_helpers(task);
    if (task.for_helpers) {
      submit_to_helpers(self, task, std::move(dependences));
      return;
    }
  }
  if (implicit.team->global)
    offer_surplus(self);
  const bool at_once = is_executed_at_once(self, task);
  if (at_once && dependences.empty()) {
    ++implicit.nested;
    execute_undeferred(self, task);
    --implicit.nested;
    return;
  }
  defer(self, task);
  if (!insert(task, std::move(dependences))) { // whoever completes the last one before it will push it
    if (at_once)
      let_others_catch_up(self);
    return;
  }
  task.executed_at_once = at_once;
  if (at_once) {
    ++implicit.nested;
    run_task(self, task);
    --implicit.nested;
  } else {
    make_ready(*implicit.team, implicit.local_number, task);
  }
}

void submit_beside(Thread& self, ExplicitTask& task, const ExplicitTask& running) {
  // relaxed: nobody else knows of the task yet
  HETMP_CHECK(&task != &running && !task.attached && task.pending.load(std::memory_order_relaxed) == 1);
  // The running one keeps their parent and their taskgroup from ending meanwhile.
  task.parent = running.parent;
  task.depth = running.depth;
  task.group = task.member_of = running.member_of;
  defer(self, task);
  make_ready(*task.team, self.task->local_number, task);
}

void run_task(Thread& self, ExplicitTask& task) {
  bool part_follows;
  do {
    part_follows = run_code(self, task);
    end_part(&self, task); // the task stays for as long as a part of it is to follow
  } while (part_follows);
}

void defer_for_event(Thread& self, ExplicitTask& task) { defer(self, task); }

void end_execution(Thread& self, ExplicitTask& task) { end_part(&self, task); }

void end_executed_elsewhere(Thread* self, ExplicitTask& task) { end_part(self, task); }

void run_task_from_outside(Thread& self, ExplicitTask& task) {
  HETMP_CHECK(task.deferred && task.attached && self.task == &self.initial);
  run_code(self, task);
  end_part(nullptr, task);
}

void complete_event(ExplicitTask& task) {
  if (task.observed) [[unlikely]]
    ompt::tell_fulfilment(*task.observed);
  end_part(nullptr, task);
}

} // namespace hetmp::runtime
