#include "runtime/tasking/handing_over.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/global/node_tasks.hpp"
#include "runtime/process/code_ids.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/tasking/away_tasks.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/write_changed.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr int64_t microseconds = 1000;
constexpr int64_t between_offers = 50 * microseconds;
constexpr int64_t after_refusal = 500 * microseconds; // no node of the team was idle
constexpr int64_t when_it_does_not_pay = 100'000 * microseconds;
constexpr int64_t smallest_worth_it = 100 * microseconds; // some messages and a few pages
constexpr int64_t most_times_slower = 8;

// ---- what is known of regions

/// What this node knows of handing tasks over: of each region, and whether and why tasks stay.
class KnownOfHanding {
 public:
  void keep_tasks() { tasks_stay_.store(true, std::memory_order_relaxed); }
  bool keeps_tasks() const { return tasks_stay_.load(std::memory_order_relaxed); }
  void some_stayed() { write_changed(some_stayed_, true); }
  bool have_some_stayed() const { return some_stayed_.load(std::memory_order_relaxed); }

  /// Of a region. Stays where it is.
  HandingKnowledge& find(const void* microtask) {
    FutexLockGuard guard(lock_);
    if (!by_microtask_)
      by_microtask_ = new std::map<const void*, HandingKnowledge>;
    return (*by_microtask_)[microtask];
  }

 private:
  FutexLock lock_;
  std::map<const void*, HandingKnowledge>* by_microtask_ = nullptr; ///< never destroyed: threads may outlive objects
  /// relaxed: what fulfils an event is queued after that, so whoever takes it under its queue's lock sees it
  /// (may_go()).
  std::atomic<bool> tasks_stay_{false};
  std::atomic<bool> some_stayed_{false}; ///< of a team on several nodes; relaxed: only for the report
};

constinit KnownOfHanding handing;

/// Kept with the team. acquire and release: whoever finds the pointer sees what another thread has made there. relaxed:
/// a pointer that is older than what it is said to be of gives another region's hints.
HandingKnowledge& knowledge_of(NodeTeam& team) {
  TeamTasks& tasks = team.tasks;
  const void* microtask = team.description.microtask;
  HandingKnowledge* cached = tasks.knowledge.load(std::memory_order_acquire);
  if (cached && tasks.knowledge_is_of.load(std::memory_order_relaxed) == microtask)
    return *cached;
  HandingKnowledge& found = handing.find(microtask);
  tasks.knowledge_is_of.store(microtask, std::memory_order_relaxed);
  tasks.knowledge.store(&found, std::memory_order_release);
  return found;
}

/// relaxed: a hint; an update may be lost.
void smooth(std::atomic<int64_t>& average, int64_t nanoseconds) {
  const int64_t before = average.load(std::memory_order_relaxed);
  average.store(before == 0 ? std::max<int64_t>(nanoseconds, 1) : before + (nanoseconds - before) / 4,
                std::memory_order_relaxed);
}

/// relaxed: hints, the two need not belong together.
bool pays(const HandingKnowledge& known) {
  const int64_t here = known.here.load(std::memory_order_relaxed), there = known.there.load(std::memory_order_relaxed);
  return there >= smallest_worth_it && (here == 0 || there < most_times_slower * here);
}

// ---- giving

bool belongs_to_reduction(const ExplicitTask& task) {
  for (const TaskGroup* group = task.member_of; group; group = group->outer)
    if (group->reduces || group->reduction_tables)
      return true;
  return false;
}

HandedTask described(const ExplicitTask& task, uint32_t slot) {
  HandedTask handed;
  handed.function = name_code(task.function);
  handed.finalise = name_code(task.finalise);
  handed.body = reinterpret_cast<uint64_t>(task.body);
  handed.slot = slot;
  handed.is_final = task.is_final;
  return handed;
}

/// Ready tasks for one message, at most `wanted`: how many.
uint32_t pick(TaskQueue& queue, uint32_t wanted, ExplicitTask* (&tasks)[Handover::most]) {
  HETMP_CHECK(wanted <= Handover::most);
  uint32_t count = 0;
  while (count < wanted) {
    tasks[count] = queue.take_oldest([&](const ExplicitTask& candidate) {
      return may_go(candidate) && (count == 0 || candidate.icvs.value == tasks[0]->icvs.value);
    });
    if (!tasks[count])
      break;
    count++;
  }
  return count;
}

uint32_t half_of(uint32_t ready) { return std::min(Handover::most, (ready + 1) / 2); }

/// Whether it is time for another offer; of several that ask one may make it.
bool take_turn(HandingKnowledge& known) {
  int64_t due = known.next_offer.load(std::memory_order_relaxed);
  const int64_t now = monotonic_nanoseconds();
  return now >= due && known.next_offer.compare_exchange_strong(due, now + between_offers, std::memory_order_relaxed);
}

/// Tasks that were picked from the queue of a thread, which gets back what cannot go.
void offer(NodeTeam& team, uint32_t local_thread, ExplicitTask* const* tasks, uint32_t count) {
  Handover batch;
  batch.origin = team.description.node;
  HETMP_CHECK(count <= Handover::most && local_thread < team.tasks.count);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot = team.global ? send_away(*tasks[i]) : no_slot;
    if (slot == no_slot) {
      team.tasks.push(local_thread, tasks[i]);
      continue;
    }
    batch.icvs = tasks[i]->icvs.value;
    batch.tasks[batch.count++] = described(*tasks[i], slot);
  }
  if (batch.count != 0)
    team.global->tasks.offer_tasks(team.description, batch);
}

void offer_some_of(NodeTeam& team, TaskQueue& queue, uint32_t local_thread) {
  ExplicitTask* tasks[Handover::most];
  if (const uint32_t count = pick(queue, half_of(queue.size()), tasks))
    offer(team, local_thread, tasks, count);
}

/// Tasks that are back. `self`: null for a thread that is not of the team.
void end_or_queue(Thread* self, NodeTeam& team, uint32_t local_thread, ExplicitTask* list) {
  HandingKnowledge& known = knowledge_of(team);
  const int64_t now = monotonic_nanoseconds();
  while (list) {
    ExplicitTask& task = *std::exchange(list, list->next);
    HETMP_CHECK(task.team == &team && task.deferred && !task.begun);
    if (task.away_word == 0) {
      team.tasks.others_wait.store(false, std::memory_order_relaxed);
      known.next_offer.store(now + after_refusal, std::memory_order_relaxed);
      team.tasks.push(local_thread, &task);
      continue;
    }
    smooth(known.there, int64_t(task.away_word - 1));
    known.next_offer.store(now + (pays(known) ? 0 : when_it_does_not_pay), std::memory_order_relaxed);
    task.finalise = nullptr; // has been called there
    end_executed_elsewhere(self, task);
  }
}

// ---- taking

/// The body of the task that executes another node's.
struct Accepted {
  HandedTask task;
  uint32_t origin;
  TaskIcvs icvs;
};

TaskFunction function_of(CodeId id, uint32_t origin) {
  const auto function = find_function<TaskFunction>(id);
  if (!function)
    die(exit_code::protocol, "node %u handed over a task whose code node %u has not loaded", origin, own_node());
  return function;
}

void run_accepted(int gtid, void* body) {
  const Accepted accepted = *static_cast<Accepted*>(body);
  Thread& self = thread_of(gtid);
  NodeTeam& team = *self.task->team;
  HETMP_CHECK(team.global); // only such teams are given tasks
  const int64_t begun = monotonic_nanoseconds();
  self.task->icvs = accepted.icvs; // the thread gets its own back after the task
  void* handed_body = reinterpret_cast<void*>(accepted.task.body);
  begin_taskgroup(self);
  function_of(accepted.task.function, accepted.origin)(gtid, handed_body);
  end_taskgroup(self);
  if (accepted.task.finalise)
    function_of(accepted.task.finalise, accepted.origin)(gtid, handed_body);
  team.global->tasks.return_task(team.description, accepted.origin, accepted.task.slot,
                                 uint64_t(monotonic_nanoseconds() - begun));
}

} // namespace

void keep_tasks_at_home() { handing.keep_tasks(); }

bool tasks_may_leave(const NodeTeam& team) {
  if (!team.global)
    return false;
  if (!regions_may_be_cancelled && !handing.keeps_tasks())
    return true;
  handing.some_stayed();
  return false;
}

// relaxed: nobody else knows of the task yet, or it is looked at with its queue's lock held. An event that is fulfilled
// meanwhile may be seen or not: the one lets the task go, the other keeps it.
bool may_travel(const ExplicitTask& task) {
  return task.movable && task.priority == 0 && !task.begun && task.pending.load(std::memory_order_relaxed) == 1 &&
         !belongs_to_reduction(task);
}

bool may_go(const ExplicitTask& task) { return !handing.keeps_tasks() && may_travel(task); }

const char* why_tasks_stayed() {
  if (!handing.have_some_stayed())
    return nullptr;
  return regions_may_be_cancelled ? "regions may be cancelled (OMP_CANCELLATION)" : "the program uses events of tasks";
}

bool somebody_waits(NodeTeam& team) {
  std::atomic<bool>& known = team.tasks.others_wait; // a hint, relaxed
  if (known.load(std::memory_order_relaxed))
    return true;
  HandingKnowledge& tasks = knowledge_of(team);
  if (!take_turn(tasks))
    return false;
  if (team.global->tasks.idle_nodes(team.description) != 0)
    known.store(true, std::memory_order_relaxed);
  else
    tasks.next_offer.store(monotonic_nanoseconds() + after_refusal, std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed);
}

void offer_surplus(Thread& self) {
  NodeTeam& team = *self.task->team;
  HETMP_CHECK(self.task->local_number < team.tasks.count);
  TaskQueue& queue = team.tasks.members[self.task->local_number].queue;
  if (queue.size() != 0 && tasks_may_leave(team) && take_turn(knowledge_of(team)))
    offer_some_of(team, queue, self.task->local_number);
}

bool take_back(Thread& self) {
  NodeTeam& team = *self.task->team;
  ExplicitTask* list = team.tasks.take_back();
  if (!list)
    return false;
  end_or_queue(&self, team, self.task->local_number, list);
  return true;
}

void offer_for_others(NodeTeam& team) {
  // What is to be read of the team stays only as long as one of its tasks is in hand: its region is not over before
  // that. So whether it is time is asked of the last region that had tasks, which is seldom another one.
  if (ExplicitTask* list = team.tasks.take_back())
    end_or_queue(nullptr, team, 0, list);
  // acquire: pairs with the release in knowledge_of().
  HandingKnowledge* known = team.tasks.knowledge.load(std::memory_order_acquire);
  if (!known || regions_may_be_cancelled || handing.keeps_tasks() || !take_turn(*known))
    return;
  offer_some_of(team, team.tasks.of_nobody, 0);
  for (uint32_t local = 0; local < team.tasks.count; local++)
    offer_some_of(team, team.tasks.members[local].queue, local);
}

void run_timed_task(Thread& self, ExplicitTask& task) {
  HandingKnowledge& known = knowledge_of(*self.task->team);
  const int64_t begun = monotonic_nanoseconds();
  run_task(self, task);
  smooth(known.here, monotonic_nanoseconds() - begun);
}

void accept_tasks(Thread& self, const Handover& handover) {
  for (uint32_t i = 0; i < std::min(handover.count, Handover::most); i++) {
    TaskRequest request;
    request.function = run_accepted;
    request.body_bytes = sizeof(Accepted);
    request.is_final = handover.tasks[i].is_final;
    ExplicitTask& task = make_task(self, request);
    *static_cast<Accepted*>(task.body) = {handover.tasks[i], handover.origin, handover.icvs};
    submit_task(self, task);
  }
}

} // namespace hetmp::runtime
