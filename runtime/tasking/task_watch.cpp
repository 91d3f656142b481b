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

bool has_some(const TeamTasks& tasks) {
  if (tasks.back.load(std::memory_order_relaxed) || tasks.of_nobody.size() != 0)
    return true;
  for (uint32_t i = 0; i < tasks.count; i++)
    if (tasks.members[i].queue.size() != 0)
      return true;
  return false;
}

/// Whether the team is to be watched further. With the watch's lock held.
bool look(Watched& entry) {
  TeamTasks& tasks = tasks_of(*entry.team);
  HETMP_CHECK(tasks.watched.load(std::memory_order_relaxed)); // written under the lock
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
  tasks.watched.store(true, std::memory_order_relaxed); // relaxed: under the lock
  return true;
}

/// The teams that are watched, and the thread that does it.
class Watch {
 public:
  void add(NodeTeam& team);
  void remove(NodeTeam& team);
  [[noreturn]] void run();

 private:
  FutexLock lock_;
  std::vector<Watched>* watched_ = nullptr; ///< guarded by the lock; never destroyed
  /// How many those are; written with the lock, which orders the rest. run() acquires what add() released.
  FutexWord teams_{0};
  bool has_thread_ = false; ///< guarded by the lock
};

constinit Watch watch;

void Watch::run() {
  while (true) {
    while (teams_.load(std::memory_order_acquire) == 0)
      futex_wait(teams_, 0);
    nanosleep(&between_looks, nullptr);
    FutexLockGuard guard(lock_);
    std::erase_if(*watched_, [](Watched& entry) { return !look(entry); });
    teams_.store(uint32_t(watched_->size()), std::memory_order_relaxed);
  }
}

void* thread_body(void*) {
  watch.run();
  return nullptr;
}

void Watch::add(NodeTeam& team) {
  TeamTasks& tasks = tasks_of(team);
  if (tasks.watched.load(std::memory_order_seq_cst)) // after the push: pairs with the store in look()
    return;
  FutexLockGuard guard(lock_);
  if (tasks.watched.load(std::memory_order_relaxed)) // written under the lock
    return;
  if (!has_thread_ && make_posix_thread(thread_body, nullptr, 0) != 0)
    return; // tried again with the next task
  has_thread_ = true;
  if (!watched_)
    watched_ = new std::vector<Watched>;
  watched_->push_back({&team});
  tasks.watched.store(true, std::memory_order_relaxed); // under the lock
  teams_.store(uint32_t(watched_->size()), std::memory_order_release);
  futex_wake(teams_, 1);
}

// relaxed: written under the lock.
void Watch::remove(NodeTeam& team) {
  TeamTasks& tasks = tasks_of(team);
  FutexLockGuard guard(lock_); // also where nobody seems to watch: a last look may be under way
  if (!tasks.watched.load(std::memory_order_relaxed))
    return;
  std::erase_if(*watched_, [&](const Watched& entry) { return entry.team == &team; });
  tasks.watched.store(false, std::memory_order_relaxed);
  teams_.store(uint32_t(watched_->size()), std::memory_order_relaxed);
}

} // namespace

void watch_tasks(NodeTeam& team) { watch.add(team); }

void stop_watching(NodeTeam& team) { watch.remove(team); }

// The lock's holder may not exist any more, and may have been changing the list.
void forget_task_watch() { new (&watch) Watch; }

} // namespace hetmp::runtime
