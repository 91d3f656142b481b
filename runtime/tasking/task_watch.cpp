#include "runtime/tasking/task_watch.hpp"

#include "base/check.hpp"
#include "base/futex.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <ctime>
#include <new>
#include <vector>

namespace hetmp::runtime {
namespace {

constexpr timespec between_looks = {0, 20'000'000};
constexpr int looks_before_it_is_dropped = 50; // without a task

struct Watched {
  NodeTeam* team;
  uint64_t pushes = 0; ///< at the last look
  int empty_looks = 0;
};

FutexLock lock;
std::vector<Watched>* watched = nullptr; ///< guarded by the lock; never destroyed
/// How many those are; written with the lock, which orders the rest. watch() acquires what watch_tasks() released.
FutexWord teams{0};
bool has_thread = false; ///< guarded by the lock

bool has_some(const TeamTasks& tasks) {
  if (tasks.back.load(std::memory_order_relaxed) || tasks.of_nobody.size() != 0)
    return true;
  for (uint32_t i = 0; i < tasks.count; i++)
    if (tasks.members[i].queue.size() != 0)
      return true;
  return false;
}

/// Whether the team is to be watched further. With the lock held.
bool look(Watched& entry) {
  TeamTasks& tasks = tasks_of(*entry.team);
  HETMP_CHECK(lock.held() && tasks.watched.load(std::memory_order_relaxed)); // written under the lock
  const uint64_t pushes = tasks.pushes();
  if (has_some(tasks)) {
    if (pushes == entry.pushes) // all that is there was there at the last look
      offer_for_others(*entry.team);
    entry.pushes = pushes;
    entry.empty_looks = 0;
    return true;
  }
  entry.pushes = pushes;
  if (++entry.empty_looks < looks_before_it_is_dropped)
    return true;
  // seq_cst: either this sees the task that is pushed meanwhile, or whoever pushes it sees that nobody watches.
  tasks.watched.store(false, std::memory_order_seq_cst);
  if (tasks.pushes() == pushes)
    return false;
  tasks.watched.store(true, std::memory_order_relaxed);
  return true;
}

void* watch(void*) {
  while (true) {
    while (teams.load(std::memory_order_acquire) == 0)
      futex_wait(teams, 0);
    nanosleep(&between_looks, nullptr);
    FutexLockGuard guard(lock);
    std::erase_if(*watched, [](Watched& entry) { return !look(entry); });
    teams.store(uint32_t(watched->size()), std::memory_order_relaxed);
  }
  return nullptr;
}

} // namespace

void watch_tasks(NodeTeam& team) {
  TeamTasks& tasks = tasks_of(team);
  if (tasks.watched.load(std::memory_order_seq_cst)) // after the push: pairs with the store in look()
    return;
  FutexLockGuard guard(lock);
  if (tasks.watched.load(std::memory_order_relaxed)) // written under the lock
    return;
  if (!has_thread && make_posix_thread(watch, nullptr, 0) != 0)
    return; // tried again with the next task
  has_thread = true;
  if (!watched)
    watched = new std::vector<Watched>;
  HETMP_CHECK_COSTLY(
      std::none_of(watched->begin(), watched->end(), [&](const Watched& entry) { return entry.team == &team; }));
  watched->push_back({&team});
  tasks.watched.store(true, std::memory_order_relaxed); // under the lock
  teams.store(uint32_t(watched->size()), std::memory_order_release);
  futex_wake(teams, 1);
}

// relaxed: written under the lock.
void stop_watching(NodeTeam& team) {
  TeamTasks& tasks = tasks_of(team);
  FutexLockGuard guard(lock); // also where nobody seems to watch: a last look may be under way
  if (!tasks.watched.load(std::memory_order_relaxed))
    return;
  std::erase_if(*watched, [&](const Watched& entry) { return entry.team == &team; });
  tasks.watched.store(false, std::memory_order_relaxed);
  teams.store(uint32_t(watched->size()), std::memory_order_relaxed);
}

void forget_task_watch() {
  new (&lock) FutexLock; // its holder may not exist any more
  watched = nullptr;     // whoever held the lock may have been changing it
  has_thread = false;
  teams.store(0, std::memory_order_relaxed); // relaxed: a forked child has one thread
}

} // namespace hetmp::runtime
