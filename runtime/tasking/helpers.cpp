#include "runtime/tasking/helpers.hpp"

#include "base/check.hpp"
#include "base/message.hpp"
#include "runtime/affinity/helper_places.hpp"
#include "runtime/process/thread_factory.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace hetmp::runtime {
namespace {

struct Helper {
  Thread* thread = nullptr;
  ExplicitTask* task = nullptr; ///< to be executed next; written by whoever gives it, before `given`
  FutexWord given{0};           ///< released by wake_with(), acquired by next_task(): what `task` points to
  Helper* next_idle = nullptr;
};

/// Ready tasks in the order in which they came, linked by ExplicitTask::next.
class WaitingTasks {
 public:
  void push(ExplicitTask& task) {
    HETMP_CHECK((first_ == nullptr) == (last_ == nullptr));
    task.next = nullptr;
    (last_ ? last_->next : first_) = &task;
    last_ = &task;
  }
  ExplicitTask* take() {
    HETMP_CHECK((first_ == nullptr) == (last_ == nullptr) && (!last_ || !last_->next));
    ExplicitTask* task = first_;
    if (task && !(first_ = task->next))
      last_ = nullptr;
    return task;
  }

 private:
  ExplicitTask* first_ = nullptr;
  ExplicitTask* last_ = nullptr;
};

/// All helpers, and the tasks that they were given.
class Helpers {
 public:
  void give(ExplicitTask& task);
  ExplicitTask& next_task(Helper& self);
  void finished_one() {
    // release: pairs with the acquire in unfinished()
    [[maybe_unused]] const uint32_t before = unfinished_.fetch_sub(1, std::memory_order_release);
    HETMP_CHECK(before != 0);
  }
  /// Given to helpers and not over. Whoever looks at it when the program ends acquires what they did.
  uint32_t unfinished() const { return unfinished_.load(std::memory_order_acquire); }
  /// A helper is where it runs, and has told it if it is to.
  void seated_one();

  Helpers() = default;
  /// In a forked child: there is the calling one, or none.
  explicit Helpers(uint32_t left) : count_(left), seated_(left), unfinished_(left) {}

 private:
  bool create(ExplicitTask* task);
  bool create_first_or_another(ExplicitTask& task);

  FutexLock lock_;
  // Guarded by the lock.
  Helper* idle_ = nullptr; ///< last in, first out
  WaitingTasks waiting_;   ///< none while a helper is idle
  uint32_t count_ = 0;
  bool refused_ = false; ///< the system has refused a thread, and that has been said

  FutexWord seated_{0}; ///< helpers that are; relaxed: only the number
  std::atomic<uint32_t> unfinished_{0};
};

constinit Helpers helpers;

bool is_helper(const Thread& thread) { return thread.gtid > 0 && thread.gtid <= int(program_icvs().helper_threads); }

void wake_with(Helper& helper, ExplicitTask& task) {
  HETMP_CHECK(helper.given.load(std::memory_order_relaxed) == 0); // relaxed: it waits for this
  helper.task = &task;
  helper.given.store(1, std::memory_order_release); // pairs with the exchange in next_task()
  futex_wake(helper.given, 1);
}

ExplicitTask& Helpers::next_task(Helper& self) {
  {
    FutexLockGuard guard(lock_);
    if (ExplicitTask* task = waiting_.take())
      return *task;
    self.next_idle = idle_;
    idle_ = &self;
  }
  while (self.given.exchange(0, std::memory_order_acquire) == 0) // pairs with the release in wake_with()
    futex_wait(self.given, 0);
  return *self.task;
}

void Helpers::seated_one() {
  seated_.fetch_add(1, std::memory_order_relaxed);
  futex_wake(seated_, 1);
}

void execute(Thread& self, ExplicitTask& task) {
  spinning.thread_begins();
  run_task_from_outside(self, task);
  spinning.thread_ends();
  helpers.finished_one();
  if (std::exchange(self.place, -1) >= 0) // regions of the task have moved it
    affinity::seat_helper(uint32_t(self.gtid), false);
}

void* helper_body(void* argument) {
  Helper& self = *static_cast<Helper*>(argument);
  adopt_thread(self.thread);
  begin_initial_task(*self.thread);
  affinity::seat_helper(uint32_t(self.thread->gtid), true);
  helpers.seated_one();
  while (true) {
    execute(*self.thread, self.task ? *self.task : helpers.next_task(self));
    self.task = nullptr;
  }
}

/// Whether anything is left that ends without the calling thread: not the task that it executes itself.
bool others_are_at_work(const Thread* self) {
  const uint32_t own = self && is_helper(*self) ? 1 : 0;
  return helpers.unfinished() > own;
}

/// Another task of an initial thread's, which may wait for one that a helper has executed.
ExplicitTask* take_own_task(Thread* self) {
  return self && self->task == &self->initial ? tasks_of(*self->initial.team).take(0, nullptr) : nullptr;
}

/// The end of the program is a barrier of the initial thread. It is passed all the same after a while: the tasks may
/// wait for something that only the ending thread could do.
void finish_before_exit() {
  constexpr int64_t longest_wait = 10'000'000'000;
  constexpr timespec pause = {0, 500'000};
  Thread* self = known_thread();
  const int64_t begun = monotonic_nanoseconds();
  while (monotonic_nanoseconds() - begun < longest_wait) {
    if (ExplicitTask* task = take_own_task(self))
      run_task(*self, *task);
    else if (others_are_at_work(self))
      nanosleep(&pause, nullptr);
    else
      return;
  }
}

/// Whether there is another helper now, which begins with `task` if that is not null. With the lock held.
bool Helpers::create(ExplicitTask* task) {
  Thread* thread = create_helper_record();
  if (!thread)
    return false;
  Helper* helper = new Helper;
  helper->thread = thread;
  helper->task = task;
  const int error = make_thread(helper_body, helper, program_icvs().stack_bytes);
  if (error != 0) {
    say_once(refused_, "cannot create another thread (%s); target tasks wait for one another", strerror(error));
    delete helper;
    retire_thread_record(thread);
    return false;
  }
  if (count_++ == 0)
    atexit(finish_before_exit);
  return true;
}

/// With the lock held.
bool Helpers::create_first_or_another(ExplicitTask& task) {
  HETMP_CHECK(lock_.held() && !idle_); // an idle one would have got the task
  const bool tell = count_ == 0 && affinity::helpers_tell_places();
  if (!create(&task))
    return false;
  if (!tell)
    return true;
  while (create(nullptr)) // who wants to see where helpers run wants to see them all, before the program ends
    ;
  for (uint32_t seen; (seen = seated_.load(std::memory_order_relaxed)) < count_;)
    futex_wait(seated_, seen);
  return true;
}

void Helpers::give(ExplicitTask& task) {
  FutexLockGuard guard(lock_);
  unfinished_.fetch_add(1, std::memory_order_relaxed); // relaxed: only the number goes up
  if (idle_) {
    Helper& helper = *idle_;
    idle_ = helper.next_idle;
    wake_with(helper, task);
  } else if (create_first_or_another(task)) {
    return;
  } else if (count_ != 0) {
    waiting_.push(task);
  } else {
    unfinished_.fetch_sub(1, std::memory_order_relaxed); // relaxed: nobody has begun it
    tasks_of(*task.team).push_from_outside(&task);
  }
}

} // namespace

bool suits_helpers(const ExplicitTask& task) {
  for (const TaskGroup* group = task.member_of; group; group = group->outer)
    if (group->reduces)
      return false;
  return !task.parent->is_final;
}

void give_to_helpers(ExplicitTask& task) { helpers.give(task); }

void forget_helpers() {
  const Thread* self = known_thread();
  new (&helpers) Helpers(self && is_helper(*self) ? 1 : 0); // also the lock: its holder may not exist any more
}

} // namespace hetmp::runtime
