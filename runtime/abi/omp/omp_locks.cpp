// omp_lock_t and omp_nest_lock_t.
//
// The lock variable itself is the lock: four bytes (gcc's omp_lock_t has no more), eight for a nestable one. While a
// region runs on several node processes a lock variable only lends its address as a name (sync/program_locks.hpp): then
// nothing but the initialisation writes the variable; who holds a lock, and a nestable one how often, is noted in
// private memory of the node's process.
#include "runtime/abi/omp/nest_lock.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

#include <new>
#include <unordered_map>

namespace hetmp::runtime {
namespace {

static_assert(sizeof(FutexLock) == 4);

FutexLock& word_lock(void* lock) { return *static_cast<FutexLock*>(lock); }
NestLock& nest_lock(void* lock) { return *static_cast<NestLock*>(lock); }

/// Of the task that the calling thread executes; a task gets one when it first asks. From 1 to 2^31 - 1: they come
/// again after two thousand million tasks that use nestable locks, among which nobody has kept one all the time.
uint32_t lock_owner_number() {
  static std::atomic<uint32_t> last{0}; // relaxed: only a number
  uint32_t& number = generating_task(current_task()).lock_owner;
  while (number == 0)
    number = (last.fetch_add(1, std::memory_order_relaxed) + 1) & (UINT32_MAX >> 1);
  return number;
}

/// The nestable locks that tasks of this process hold and that are no words.
class HeldNestLocks {
 public:
  /// If `owner` holds the lock: one more; the new count, else 0.
  int again(const void* lock, uint32_t owner) {
    FutexLockGuard guard(mutex_);
    const auto found = held_.find(lock);
    return found != held_.end() && found->second.owner == owner ? ++found->second.count : 0;
  }

  void first(const void* lock, uint32_t owner) {
    FutexLockGuard guard(mutex_);
    held_[lock] = {owner, 1};
  }

  /// One less; the count left. At 0 the lock is forgotten, and the caller releases it after that.
  int less(const void* lock) {
    FutexLockGuard guard(mutex_);
    const auto found = held_.find(lock);
    if (found == held_.end())
      return -1; // not held: the program's error, which changes nothing here
    const int left = --found->second.count;
    if (left == 0)
      held_.erase(found);
    return left;
  }

 private:
  struct Holder {
    uint32_t owner;
    int count;
  };
  FutexLock mutex_;
  std::unordered_map<const void*, Holder> held_;
};

/// Never destroyed: threads may use locks while the program ends.
HeldNestLocks& held_nest_locks() {
  static HeldNestLocks& held = *new HeldNestLocks;
  return held;
}

/// Of a lock that the task holds already: one more; else 0, in either form.
int set_again(NestLock& lock, uint32_t self) {
  if (!program_locks.are_words())
    return held_nest_locks().again(&lock, self);
  return lock.count_of(self) != 0 ? lock.lock(self) : 0;
}

int set_among_nodes(NestLock& lock) {
  const uint32_t self = lock_owner_number();
  if (const int count = set_again(lock, self))
    return count;
  ProgramLocks::note_exclusion();
  if (program_locks.enter())
    return lock.lock(self);
  program_locks.table().lock(ProgramLocks::key_of(&lock));
  held_nest_locks().first(&lock, self);
  return 1;
}

int test_among_nodes(NestLock& lock) {
  const uint32_t self = lock_owner_number();
  if (const int count = set_again(lock, self))
    return count;
  const bool is_word = program_locks.enter();
  const bool taken = is_word ? lock.try_lock(self) != 0 : program_locks.table().try_lock(ProgramLocks::key_of(&lock));
  if (!taken)
    program_locks.leave();
  else if (!is_word)
    held_nest_locks().first(&lock, self);
  return taken;
}

int unset_among_nodes(NestLock& lock) {
  if (program_locks.are_words()) {
    const int left = lock.unlock();
    if (left == 0)
      program_locks.leave();
    return left;
  }
  const int left = held_nest_locks().less(&lock);
  if (left == 0 && program_locks.table().unlock(ProgramLocks::key_of(&lock)))
    program_locks.leave();
  return left;
}

} // namespace
} // namespace hetmp::runtime

using namespace hetmp::runtime;

namespace {

// What the entry points do, whoever calls them: a tool is told of their caller.

/// A program may begin with its locks: then the thread, and a tool, are not known yet.
void init(void* lock, uint32_t hint, const void* caller) {
  current_thread();
  new (lock) FutexLock;
  if (ompt::observed()) [[unlikely]]
    ompt::entered(caller, [&] { ompt::lock_begins(ompt::MutexKind::Lock, hint, lock); });
}

void init_nest(void* lock, uint32_t hint, const void* caller) {
  current_thread();
  new (lock) NestLock;
  if (ompt::observed()) [[unlikely]]
    ompt::entered(caller, [&] { ompt::lock_begins(ompt::MutexKind::NestLock, hint, lock); });
}

void destroy(ompt::MutexKind kind, const void* lock, const void* caller) {
  if (ompt::observed()) [[unlikely]]
    ompt::entered(caller, [&] { ompt::lock_ends(kind, lock); });
}

// With a tool, from where the program has called.

HETMP_TOOL_ONLY void set_observed(void* lock, const void* caller) {
  ompt::entered(caller, [&] {
    ompt::mutex_is_wanted(ompt::MutexKind::Lock, lock);
    program_locks.lock(word_lock(lock));
    ompt::mutex_is_taken(ompt::MutexKind::Lock, lock);
  });
}

HETMP_TOOL_ONLY void unset_observed(void* lock, const void* caller) {
  ompt::entered(caller, [&] {
    program_locks.unlock(word_lock(lock));
    ompt::mutex_is_released(ompt::MutexKind::Lock, lock);
  });
}

HETMP_TOOL_ONLY int test_observed(void* lock, const void* caller) {
  return ompt::entered(caller, [&] {
    ompt::mutex_is_wanted(ompt::MutexKind::TestLock, lock);
    const int taken = program_locks.try_lock(word_lock(lock));
    taken ? ompt::mutex_is_taken(ompt::MutexKind::TestLock, lock) : ompt::mutex_is_not_taken();
    return taken;
  });
}

/// Their new counts.
int set_nest(NestLock& lock) {
  return program_locks.is_alone() ? lock.lock(lock_owner_number()) : set_among_nodes(lock);
}
int test_nest(NestLock& lock) {
  return program_locks.is_alone() ? lock.try_lock(lock_owner_number()) : test_among_nodes(lock);
}
/// The count left.
int unset_nest(NestLock& lock) { return program_locks.is_alone() ? lock.unlock() : unset_among_nodes(lock); }

void tell_taken(ompt::MutexKind kind, const void* lock, int count) {
  if (count == 1)
    ompt::mutex_is_taken(kind, lock);
  else
    ompt::mutex_is_not_taken();
  if (count > 1)
    ompt::nest_lock_goes_on(ompt::Endpoint::Begin, lock);
}

HETMP_TOOL_ONLY void set_nest_observed(void* lock, const void* caller) {
  ompt::entered(caller, [&] {
    ompt::mutex_is_wanted(ompt::MutexKind::NestLock, lock);
    tell_taken(ompt::MutexKind::NestLock, lock, set_nest(nest_lock(lock)));
  });
}

HETMP_TOOL_ONLY int test_nest_observed(void* lock, const void* caller) {
  return ompt::entered(caller, [&] {
    ompt::mutex_is_wanted(ompt::MutexKind::TestNestLock, lock);
    const int count = test_nest(nest_lock(lock));
    tell_taken(ompt::MutexKind::TestNestLock, lock, count);
    return count;
  });
}

HETMP_TOOL_ONLY void unset_nest_observed(void* lock, const void* caller) {
  ompt::entered(caller, [&] {
    if (unset_nest(nest_lock(lock)) > 0)
      ompt::nest_lock_goes_on(ompt::Endpoint::End, lock);
    else
      ompt::mutex_is_released(ompt::MutexKind::NestLock, lock);
  });
}

} // namespace

void omp_init_lock(void* lock) { init(lock, 0, __builtin_return_address(0)); }
void omp_destroy_lock(void* lock) { destroy(ompt::MutexKind::Lock, lock, __builtin_return_address(0)); }

void omp_set_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return set_observed(lock, __builtin_return_address(0));
  program_locks.lock(word_lock(lock));
}
void omp_unset_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return unset_observed(lock, __builtin_return_address(0));
  program_locks.unlock(word_lock(lock));
}
int omp_test_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return test_observed(lock, __builtin_return_address(0));
  return program_locks.try_lock(word_lock(lock));
}

void omp_init_nest_lock(void* lock) { init_nest(lock, 0, __builtin_return_address(0)); }
void omp_destroy_nest_lock(void* lock) { destroy(ompt::MutexKind::NestLock, lock, __builtin_return_address(0)); }

void omp_set_nest_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return set_nest_observed(lock, __builtin_return_address(0));
  set_nest(nest_lock(lock));
}
void omp_unset_nest_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return unset_nest_observed(lock, __builtin_return_address(0));
  unset_nest(nest_lock(lock));
}
int omp_test_nest_lock(void* lock) {
  if (ompt::observed()) [[unlikely]]
    return test_nest_observed(lock, __builtin_return_address(0));
  return test_nest(nest_lock(lock));
}

// Hints promise nothing about correctness and there is one implementation.
void omp_init_lock_with_hint(void* lock, int hint) { init(lock, uint32_t(hint), __builtin_return_address(0)); }
void omp_init_nest_lock_with_hint(void* lock, int hint) {
  init_nest(lock, uint32_t(hint), __builtin_return_address(0));
}

// What a compiler may call instead: source location and thread number first.
HETMP_ENTRY void __kmpc_init_lock(const void*, int, void** lock) { init(lock, 0, __builtin_return_address(0)); }
HETMP_ENTRY void __kmpc_init_lock_with_hint(const void*, int, void** lock, uintptr_t hint) {
  init(lock, uint32_t(hint), __builtin_return_address(0));
}
HETMP_ENTRY void __kmpc_destroy_lock(const void*, int, void** lock) {
  destroy(ompt::MutexKind::Lock, lock, __builtin_return_address(0));
}
HETMP_ENTRY void __kmpc_set_lock(const void*, int, void** lock) { omp_set_lock(lock); }
HETMP_ENTRY void __kmpc_unset_lock(const void*, int, void** lock) { omp_unset_lock(lock); }
HETMP_ENTRY int __kmpc_test_lock(const void*, int, void** lock) { return omp_test_lock(lock); }
HETMP_ENTRY void __kmpc_init_nest_lock(const void*, int, void** lock) {
  init_nest(lock, 0, __builtin_return_address(0));
}
HETMP_ENTRY void __kmpc_init_nest_lock_with_hint(const void*, int, void** lock, uintptr_t hint) {
  init_nest(lock, uint32_t(hint), __builtin_return_address(0));
}
HETMP_ENTRY void __kmpc_destroy_nest_lock(const void*, int, void** lock) {
  destroy(ompt::MutexKind::NestLock, lock, __builtin_return_address(0));
}
HETMP_ENTRY void __kmpc_set_nest_lock(const void*, int, void** lock) { omp_set_nest_lock(lock); }
HETMP_ENTRY void __kmpc_unset_nest_lock(const void*, int, void** lock) { omp_unset_nest_lock(lock); }
HETMP_ENTRY int __kmpc_test_nest_lock(const void*, int, void** lock) { return omp_test_nest_lock(lock); }
