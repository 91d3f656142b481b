#include "runtime/sync/program_locks.hpp"

#include "base/check.hpp"
#include "base/thread_barrier.hpp"
#include "runtime/process/standard_output.hpp"
#include "runtime/team/thread.hpp"

namespace hetmp::runtime {

constinit ProgramLocks program_locks;

namespace {

/// By known threads: a region's task executes what they do, unless the thread comes to its end.
void note_exclusion_of(Thread& self) {
  if (self.task)
    self.task->exchanges++;
}

} // namespace

// At home, of words, in few instructions: what may take longer is called last, so that nothing has to be kept on the
// stack for it.

void ProgramLocks::lock_counted(FutexLock& lock) {
  Thread* const self = known_thread();
  if (!self) [[unlikely]]
    return lock_as_stranger(lock);
  if (!form_.enter_if_words(self->locks_held)) [[unlikely]]
    return lock_here(lock);
  note_exclusion_of(*self);
  if (!lock.try_lock()) [[unlikely]]
    wait_for(lock);
}

void ProgramLocks::unlock_counted(FutexLock& lock) {
  Thread* const self = known_thread();
  if (!self) [[unlikely]]
    return unlock_as_stranger(lock);
  if (!form_.is_words() || !lock.unlock_if_nobody_waits()) [[unlikely]]
    return unlock_here(lock);
  self->locks_held.add(-1);
}

bool ProgramLocks::try_lock_counted(FutexLock& lock) {
  if (!known_thread()) [[unlikely]]
    be_at_home();
  return try_lock_here(lock);
}

// Not inlined, what follows: behind be_at_home() the thread's own variables lie elsewhere, and see above.

/// A thread that is abroad is not known to itself (dsm::Journey::presence).
__attribute__((noinline)) void ProgramLocks::be_at_home() const {
  if (come_home_)
    come_home_();
}

__attribute__((noinline)) void ProgramLocks::lock_as_stranger(FutexLock& lock) {
  be_at_home();
  lock_here(lock);
}

__attribute__((noinline)) void ProgramLocks::unlock_as_stranger(FutexLock& lock) {
  be_at_home();
  unlock_here(lock);
}

__attribute__((noinline)) void ProgramLocks::wait_for(FutexLock& lock) { lock.lock(); }

__attribute__((noinline)) void ProgramLocks::lock_here(FutexLock& lock) {
  Thread* const self = known_thread();
  if (self)
    note_exclusion_of(*self);
  if (self ? form_.enter(self->locks_held) : form_.enter(others_count_))
    lock.lock();
  else
    table_.lock(key_of(&lock));
}

__attribute__((noinline)) bool ProgramLocks::try_lock_here(FutexLock& lock) {
  const bool taken = enter() ? lock.try_lock() : table_.try_lock(key_of(&lock));
  if (!taken)
    leave();
  return taken;
}

__attribute__((noinline)) void ProgramLocks::unlock_here(FutexLock& lock) {
  if (!form_.is_words())
    write_partial_line();
  if (form_.is_words() ? lock.unlock() : table_.unlock(key_of(&lock)))
    leave();
  else if (!form_.is_words())
    table_.unlock_elsewhere(key_of(&lock)); // and is counted there
}

lock_word::Tell ProgramLocks::released_elsewhere(uint64_t key) {
  const auto tell = table_.released(key);
  if (tell)
    others_count_.add(-1); // the thread that took it has counted it
  return tell.value_or(lock_word::Tell::Nothing);
}

bool ProgramLocks::enter() {
  Thread* const self = known_thread();
  return self ? form_.enter(self->locks_held) : form_.enter(others_count_);
}

void ProgramLocks::leave() {
  if (Thread* const self = known_thread())
    self->locks_held.add(-1);
  else
    others_count_.add(-1);
}

void ProgramLocks::note_exclusion() {
  if (Thread* const self = known_thread())
    note_exclusion_of(*self);
}

void ProgramLocks::begin_with_words() {
  changes_ = register_barrier_in_all_threads();
  form_.begin_as(changes_ ? LockForm::Words : LockForm::Table);
}

void ProgramLocks::stay_in_table(void (*come_home)()) {
  changes_ = false;
  come_home_ = come_home;
  form_.begin_as(LockForm::Table);
}

/// Who changed the form may not exist any more.
void ProgramLocks::become_alone() {
  changes_ = false;
  form_.begin_as(LockForm::Alone);
}

uint32_t ProgramLocks::held() const { return locks_held_by_threads() + others_count_.value(); }

bool ProgramLocks::keep_region_here() const {
  const Thread* const self = known_thread();
  return changes_ && form_.is_words() && self && int32_t(self->locks_held.value()) > 0;
}

bool ProgramLocks::spread() {
  if (!changes_)
    return true;
  FutexLockGuard guard(changing_);
  if (form_.is_words() && !form_.become_table([&] { return held(); }))
    return false;
  spread_now_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void ProgramLocks::came_back() {
  if (!changes_)
    return;
  FutexLockGuard guard(changing_);
  [[maybe_unused]] const uint32_t before = spread_now_.fetch_sub(1, std::memory_order_relaxed);
  HETMP_CHECK(before != 0 && !form_.is_words());
}

/// A look that costs little, for each region at home of a program that comes to stay in Table for a while.
bool ProgramLocks::may_become_words() const {
  return changes_ && !form_.is_words() && spread_now_.load(std::memory_order_relaxed) == 0 && !table_.some_are_away() &&
         held() == 0;
}

/// No region on several nodes is there and no lock is away, so no other node asks for one from now on: what this thread
/// sees of both stays as it is while it has the lock. Locks of this process are counted.
void ProgramLocks::try_to_become_words() {
  FutexLockGuard guard(changing_);
  if (may_become_words())
    form_.become_words([&] { return held(); });
}

} // namespace hetmp::runtime
