#include "runtime/tasking/handing_over.hpp"

#include "runtime/core/barrier.hpp"
#include "runtime/core/write_changed.hpp"
#include "runtime/tasking/away_tasks.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"

#include <algorithm>
#include <map>

namespace hetmp::runtime {
namespace {

constexpr int64_t microseconds = 1000;
constexpr int64_t between_offers = 50 * microseconds;
constexpr int64_t after_refusal = 500 * microseconds;     // no node of the team was idle
constexpr int64_t when_it_does_not_pay = 100'000 * microseconds;
constexpr int64_t smallest_worth_it = 100 * microseconds; // some messages and a few pages
constexpr int64_t most_times_slower = 8;

std::atomic<bool> tasks_stay{false};
std::atomic<bool> some_stayed{false}; // of a team on several nodes

// ---- what is known of regions

FutexLock knowledge_lock;

HandingKnowledge& find_knowledge(const void* microtask) {
  static auto* const known = new std::map<const void*, HandingKnowledge>; // never destroyed: threads may outlive static objects
  FutexLockGuard guard(knowledge_lock);
  return (*known)[microtask];
}

HandingKnowledge& knowledge_of(NodeTeam& team) {
  TeamTasks& tasks = team.tasks;
  const void* microtask = team.description.microtask;
  HandingKnowledge* cached = tasks.knowledge.load(std::memory_order_acquire);
  if (cached && tasks.knowledge_is_of.load(std::memory_order_relaxed) == microtask)
    return *cached;
  HandingKnowledge& found = find_knowledge(microtask);
  tasks.knowledge_is_of.store(microtask, std::memory_order_relaxed);
  tasks.knowledge.store(&found, std::memory_order_release);
  return found;
}

void smooth(std::atomic<int64_t>& average, int64_t nanoseconds) {
  const int64_t before = average.load(std::memory_order_relaxed);
  average.store(before == 0 ? std::max<int64_t>(nanoseconds, 1) : before + (nanoseconds - before) / 4, std::memory_order_relaxed);
}

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

bool may_travel(const ExplicitTask& task) {
  return task.movable && !task.begun && task.pending.load(std::memory_order_relaxed) == 1 && !belongs_to_reduction(task);
}

HandedTask described(const ExplicitTask& task, uint32_t slot) {
  HandedTask handed;
  handed.function = reinterpret_cast<uint64_t>(task.function);
  handed.finalise = reinterpret_cast<uint64_t>(task.finalise);
  handed.body = reinterpret_cast<uint64_t>(task.body);
  handed.slot = slot;
  handed.is_final = task.is_final;
  return handed;
}

Handover gather(TaskQueue& queue, uint32_t wanted) {
  Handover batch;
  while (batch.count < wanted) {
    ExplicitTask* task = queue.take_oldest([&](const ExplicitTask& candidate) {
      return may_travel(candidate) && (batch.count == 0 || candidate.icvs.value == batch.icvs);
    });
    const uint32_t slot = task ? send_away(*task) : no_slot;
    if (slot == no_slot) {
      if (task)
        queue.push(task);
      break;
    }
    batch.icvs = task->icvs.value;
    batch.tasks[batch.count++] = described(*task, slot);
  }
  return batch;
}

// ---- taking

/// The body of the task that executes another node's.
struct Accepted {
  HandedTask task;
  uint32_t origin;
  TaskIcvs icvs;
};

template <class Function>
Function function_at(uint64_t address) { return reinterpret_cast<Function>(address); }

void run_accepted(int gtid, void* body) {
  const Accepted accepted = *static_cast<Accepted*>(body);
  Thread& self = thread_of(gtid);
  NodeTeam& team = *self.task->team;
  const int64_t begun = monotonic_nanoseconds();
  self.task->icvs = accepted.icvs; // the thread gets its own back after the task
  void* handed_body = reinterpret_cast<void*>(accepted.task.body);
  begin_taskgroup(self);
  function_at<TaskFunction>(accepted.task.function)(gtid, handed_body);
  end_taskgroup(self);
  if (accepted.task.finalise != 0)
    function_at<TaskFunction>(accepted.task.finalise)(gtid, handed_body);
  team.global->return_task(team.description, accepted.origin, accepted.task.slot, uint64_t(monotonic_nanoseconds() - begun));
}

} // namespace

void keep_tasks_at_home() { tasks_stay.store(true, std::memory_order_relaxed); }

bool tasks_may_leave(const NodeTeam& team) {
  if (!team.global)
    return false;
  if (!regions_may_be_cancelled && !tasks_stay.load(std::memory_order_relaxed))
    return true;
  write_changed(some_stayed, true);
  return false;
}

const char* why_tasks_stayed() {
  if (!some_stayed.load(std::memory_order_relaxed))
    return nullptr;
  return regions_may_be_cancelled ? "regions may be cancelled (OMP_CANCELLATION)" : "the program uses events of tasks";
}

void offer_surplus(Thread& self) {
  NodeTeam& team = *self.task->team;
  TaskQueue& queue = team.tasks.members[self.task->local_number].queue;
  const uint32_t ready = queue.size();
  if (ready == 0 || !tasks_may_leave(team))
    return;
  std::atomic<int64_t>& next_offer = knowledge_of(team).next_offer;
  int64_t due = next_offer.load(std::memory_order_relaxed);
  const int64_t now = monotonic_nanoseconds();
  if (now < due || !next_offer.compare_exchange_strong(due, now + between_offers, std::memory_order_relaxed))
    return;
  Handover batch = gather(queue, std::min(Handover::most, (ready + 1) / 2));
  batch.origin = team.description.node;
  if (batch.count != 0)
    team.global->offer_tasks(team.description, batch);
}

bool take_back(Thread& self) {
  NodeTeam& team = *self.task->team;
  ExplicitTask* list = team.tasks.take_back();
  if (!list)
    return false;
  HandingKnowledge& known = knowledge_of(team);
  const int64_t now = monotonic_nanoseconds();
  while (list) {
    ExplicitTask& task = *std::exchange(list, list->next);
    if (task.away_word == 0) {
      known.next_offer.store(now + after_refusal, std::memory_order_relaxed);
      team.tasks.push(self.task->local_number, &task);
      continue;
    }
    smooth(known.there, int64_t(task.away_word - 1));
    known.next_offer.store(now + (pays(known) ? 0 : when_it_does_not_pay), std::memory_order_relaxed);
    task.finalise = nullptr; // has been called there
    end_executed_elsewhere(self, task);
  }
  return true;
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
