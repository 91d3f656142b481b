#include "runtime/task_graph/team_tasks.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// By the thread that owns the counter: no read-modify-write.
void add_one(std::atomic<uint64_t>& counter) {
  // release: whoever sees the count sees what the thread did before.
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// A thread that has so many tasks ready executes further ones itself, at once, until others have taken half of them:
/// nobody lacks work, a queue that a loop of millions fills is neither fast nor small, and one that is always full is
/// locked by the two sides for each single task.
constexpr uint32_t plenty = 64;

/// Where the team's threads share one CPU, it has none to wait for others, once it has generated so many that no
/// program can count on their being left: in the order of generation tasks find the data of those before them in the
/// caches, and threads that find none sleep. (Gauss-Seidel by blocks of 128 KiB, with dependences, took 1.3 times as
/// long as by one thread.)
constexpr uint64_t certainly_many = 256;

} // namespace

bool may_run(const ExplicitTask& task, const GeneratingTask* constraint) {
  if (!constraint)
    return true;
  const GeneratingTask* ancestor = task.parent;
  while (ancestor && ancestor->depth > constraint->depth) {
    HETMP_CHECK_COSTLY(ancestor->parent && ancestor->parent->depth + 1 == ancestor->depth);
    ancestor = ancestor->parent;
  }
  return ancestor == constraint;
}

void TeamTasks::reserve(uint32_t threads) {
  if (count >= threads)
    return;
  HETMP_CHECK(all_complete() && !back.load(std::memory_order_relaxed)); // relaxed: nobody uses it now
  members = std::make_unique<Member[]>(threads);
  count = threads;
  completed_elsewhere.store(0, std::memory_order_relaxed); // it belongs to the members' counts
}

void TeamTasks::forget(uint32_t threads) {
  std::destroy_at(this);
  std::construct_at(this);
  reserve(threads);
}

bool TeamTasks::has_plenty(uint32_t local_thread, bool others_travel) {
  Member& own = members[local_thread];
  // relaxed: this thread's own counter
  if (!spinning.has_several_cpus() && !others_travel && own.generated.load(std::memory_order_relaxed) >= certainly_many)
    return true;
  own.has_plenty = own.queue.size() >= (own.has_plenty ? plenty / 2 : plenty);
  return own.has_plenty;
}

bool TeamTasks::others_leave(uint32_t local_thread) {
  if (stay_until.load(std::memory_order_relaxed) == 0)
    return true;
  constexpr uint32_t looks_between = 16; // the clock takes as long as a small task does
  Member& own = members[local_thread];
  if (++own.looks % looks_between == 0)
    own.pause_is_over = pause_is_over();
  return own.pause_is_over;
}

void TeamTasks::make_pause(uint32_t local_thread) {
  if (stay_until.load(std::memory_order_relaxed) != 0 && !pause_is_over())
    return;
  constexpr int64_t first_ns = 25'000'000, longest_ns = 1'000'000'000;
  Member& own = members[local_thread];
  own.pause_ns = std::clamp(2 * own.pause_ns, first_ns, longest_ns);
  stay_until.store(monotonic_nanoseconds() + own.pause_ns, std::memory_order_relaxed);
}

void TeamTasks::end_pause(uint32_t local_thread) {
  HETMP_CHECK(local_thread < count);
  if (stay_until.load(std::memory_order_relaxed) == 0)
    members[local_thread].pause_ns = 0; // what was tried behind it was worth it
  else
    stay_until.store(0, std::memory_order_relaxed);
}

void TeamTasks::push(uint32_t local_thread, ExplicitTask* task) {
  HETMP_CHECK(task && local_thread < count);
  if (task->priority != 0) {
    FutexLockGuard guard(urgent_lock);
    const auto after =
        std::upper_bound(urgent.begin(), urgent.end(), task,
                         [](const ExplicitTask* a, const ExplicitTask* b) { return a->priority > b->priority; });
    urgent.insert(after, task);
    HETMP_CHECK_COSTLY(std::is_sorted(urgent.begin(), urgent.end(), [](const ExplicitTask* a, const ExplicitTask* b) {
      return a->priority > b->priority;
    }));
    urgent_count.store(uint32_t(urgent.size()), std::memory_order_relaxed);
    urgent_pushes.fetch_add(1, std::memory_order_seq_cst);
  } else {
    members[local_thread].queue.push(task);
  }
  bell.ring();
}

void TeamTasks::push_from_outside(ExplicitTask* task) {
  HETMP_CHECK(task && task->deferred && task->attached);
  of_nobody.push(task);
  bell.ring();
}

void TeamTasks::put_back(ExplicitTask* task) {
  HETMP_CHECK(task && task->deferred && task->attached);
  ExplicitTask* first = back.load(std::memory_order_relaxed);
  do {
    task->next = first;
    // release: pairs with take_back(); also passes on what the other node's message brought.
  } while (!back.compare_exchange_weak(first, task, std::memory_order_release, std::memory_order_relaxed));
  // The task may be complete and the team's next region under way by now; the counter and the bell stay.
  came_back.fetch_add(1, std::memory_order_seq_cst);
  bell.ring();
}

ExplicitTask* TeamTasks::take_back() {
  if (!back.load(std::memory_order_relaxed))
    return nullptr;
  return back.exchange(nullptr, std::memory_order_acquire);
}

ExplicitTask* TeamTasks::take_from_own_queue(uint32_t local_thread, const GeneratingTask* constraint) {
  const auto allowed = [&](const ExplicitTask& task) { return may_run(task, constraint); };
  HETMP_CHECK(local_thread < count);
  TaskQueue& own = members[local_thread].queue;
  return oldest_first ? own.take_oldest(allowed) : own.take_newest(allowed);
}

ExplicitTask* TeamTasks::take_own(uint32_t local_thread, const GeneratingTask* constraint) {
  if (urgent_count.load(std::memory_order_relaxed) != 0)
    return nullptr;
  return take_from_own_queue(local_thread, constraint);
}

ExplicitTask* TeamTasks::take(uint32_t local_thread, const GeneratingTask* constraint) {
  const auto allowed = [&](const ExplicitTask& task) { return may_run(task, constraint); };
  if (urgent_count.load(std::memory_order_relaxed) != 0) {
    FutexLockGuard guard(urgent_lock);
    const auto found =
        std::find_if(urgent.begin(), urgent.end(), [&](const ExplicitTask* task) { return allowed(*task); });
    if (found != urgent.end()) {
      ExplicitTask* task = *found;
      urgent.erase(found);
      HETMP_CHECK(task->priority != 0);
      urgent_count.store(uint32_t(urgent.size()), std::memory_order_relaxed);
      return task;
    }
  }
  if (ExplicitTask* task = take_from_own_queue(local_thread, constraint))
    return task;
  if (ExplicitTask* task = of_nobody.take_oldest(allowed))
    return task;
  // First where there was one before, then round.
  Member& own = members[local_thread];
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t victim = (own.last_victim + i) % count;
    if (victim == local_thread)
      continue;
    if (ExplicitTask* task = steal(local_thread, victim, constraint)) {
      own.last_victim = victim;
      return task;
    }
  }
  for (uint32_t i = 0; i < count; i++)
    if (i != local_thread)
      if (ExplicitTask* task = take_from_batch(i, constraint))
        return task;
  return nullptr;
}

void TeamTasks::begin_batch(uint32_t local_thread, ExplicitTask* const* tasks, std::atomic<uint32_t>* taken,
                            uint32_t count) {
  Batch& batch = members[local_thread].batch;
  {
    FutexLockGuard guard(batch.lock);
    HETMP_CHECK(batch.count == 0 && taken[0].load(std::memory_order_relaxed) != 0); // relaxed: the caller's
    batch.tasks = tasks;
    batch.taken = taken;
    batch.count = count;
  }
  batches.fetch_add(1, std::memory_order_seq_cst);
  bell.ring(); // they are in no queue any more
}

void TeamTasks::end_batch(uint32_t local_thread) {
  Batch& batch = members[local_thread].batch;
  FutexLockGuard guard(batch.lock);
  batch.count = 0;
}

/// The last one: the thread begins with the first.
ExplicitTask* TeamTasks::take_from_batch(uint32_t victim, const GeneratingTask* constraint) {
  Batch& batch = members[victim].batch;
  FutexLockGuard guard(batch.lock);
  for (uint32_t i = batch.count; i-- > 1;)
    // relaxed: a hint. acq_rel: see the member
    if (batch.taken[i].load(std::memory_order_relaxed) == 0 && may_run(*batch.tasks[i], constraint) &&
        batch.taken[i].exchange(1, std::memory_order_acq_rel) == 0)
      return batch.tasks[i];
  return nullptr;
}

ExplicitTask* TeamTasks::steal(uint32_t local_thread, uint32_t victim, const GeneratingTask* constraint) {
  const auto allowed = [&](const ExplicitTask& task) { return may_run(task, constraint); };
  HETMP_CHECK(local_thread < count && victim < count && victim != local_thread);
  TaskQueue& queue = members[victim].queue;
  ExplicitTask* taken[TaskQueue::most_taken];
  const uint32_t count = queue.take_oldest_half(allowed, taken);
  if (count == 0)
    return queue.take_oldest(allowed);
  if (count > 1) {
    members[local_thread].queue.push(taken + 1, count - 1);
    bell.ring(); // who has found nothing meanwhile finds them here
  }
  members[local_thread].last_steal = monotonic_nanoseconds();
  HETMP_CHECK(taken[0] && taken[0]->deferred);
  return taken[0];
}

ExplicitTask* TeamTasks::take_from_anywhere(const GeneratingTask* constraint) {
  const auto allowed = [&](const ExplicitTask& task) { return may_run(task, constraint); };
  if (ExplicitTask* task = of_nobody.take_oldest(allowed, UINT32_MAX))
    return task;
  for (uint32_t i = 0; i < count; i++)
    if (ExplicitTask* task = members[i].queue.take_oldest(allowed, UINT32_MAX))
      return task;
  return nullptr;
}

uint64_t TeamTasks::pushes() const {
  uint64_t sum = of_nobody.pushes() + batches.load(std::memory_order_seq_cst) +
                 came_back.load(std::memory_order_seq_cst) + urgent_pushes.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < count; i++)
    sum += members[i].queue.pushes();
  return sum;
}

bool TeamTasks::all_complete() const {
  uint64_t completed = completed_elsewhere.load(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < count; i++)
    completed += members[i].completed.load(std::memory_order_acquire);
  uint64_t generated = 0;
  for (uint32_t i = 0; i < count; i++)
    generated += members[i].generated.load(std::memory_order_acquire);
  HETMP_CHECK(completed <= generated);
  return completed == generated;
}

void TeamTasks::count_generated(uint32_t local_thread) {
  HETMP_CHECK(local_thread < count);
  add_one(members[local_thread].generated);
}

void TeamTasks::count_completed(uint32_t local_thread) {
  HETMP_CHECK(local_thread < count);
  add_one(members[local_thread].completed);
}

} // namespace hetmp::runtime
