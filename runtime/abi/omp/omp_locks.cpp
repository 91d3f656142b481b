// omp_lock_t and omp_nest_lock_t.
//
// The lock variable itself is the lock: four bytes (gcc's omp_lock_t has no more), eight for a nestable one. While a
// region runs on several node processes a lock variable only lends its address as a name (sync/program_locks.hpp): then
// nothing but the initialisation writes the variable; who holds a lock, and a nestable one how often, is noted in
// private memory of the node's process.
#include "runtime/abi/omp/nest_lock.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
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

void unset_among_nodes(NestLock& lock) {
  if (program_locks.are_words()) {
    if (lock.unlock() == 0)
      program_locks.leave();
  } else if (held_nest_locks().less(&lock) == 0) {
    if (program_locks.table().unlock(ProgramLocks::key_of(&lock)))
      program_locks.leave();
  }
}

} // namespace
} // namespace hetmp::runtime

using namespace hetmp::runtime;

void omp_init_lock(void* lock) { new (lock) FutexLock; }
void omp_destroy_lock(void*) {}

void omp_set_lock(void* lock) { program_locks.lock(word_lock(lock)); }
void omp_unset_lock(void* lock) { program_locks.unlock(word_lock(lock)); }
int omp_test_lock(void* lock) { return program_locks.try_lock(word_lock(lock)); }

void omp_init_nest_lock(void* lock) { new (lock) NestLock; }
void omp_destroy_nest_lock(void*) {}

void omp_set_nest_lock(void* lock) {
  if (program_locks.is_alone())
    nest_lock(lock).lock(lock_owner_number());
  else
    set_among_nodes(nest_lock(lock));
}

void omp_unset_nest_lock(void* lock) {
  if (program_locks.is_alone())
    nest_lock(lock).unlock();
  else
    unset_among_nodes(nest_lock(lock));
}

int omp_test_nest_lock(void* lock) {
  return program_locks.is_alone() ? nest_lock(lock).try_lock(lock_owner_number()) : test_among_nodes(nest_lock(lock));
}

// Hints promise nothing about correctness and there is one implementation.
void omp_init_lock_with_hint(void* lock, int) { omp_init_lock(lock); }
void omp_init_nest_lock_with_hint(void* lock, int) { omp_init_nest_lock(lock); }

// What a compiler may call instead: source location and thread number first.
HETMP_ENTRY void __kmpc_init_lock(const void*, int, void** lock) { omp_init_lock(lock); }
HETMP_ENTRY void __kmpc_init_lock_with_hint(const void*, int, void** lock, uintptr_t) { omp_init_lock(lock); }
HETMP_ENTRY void __kmpc_destroy_lock(const void*, int, void** lock) { omp_destroy_lock(lock); }
HETMP_ENTRY void __kmpc_set_lock(const void*, int, void** lock) { omp_set_lock(lock); }
HETMP_ENTRY void __kmpc_unset_lock(const void*, int, void** lock) { omp_unset_lock(lock); }
HETMP_ENTRY int __kmpc_test_lock(const void*, int, void** lock) { return omp_test_lock(lock); }
HETMP_ENTRY void __kmpc_init_nest_lock(const void*, int, void** lock) { omp_init_nest_lock(lock); }
HETMP_ENTRY void __kmpc_init_nest_lock_with_hint(const void*, int, void** lock, uintptr_t) { omp_init_nest_lock(lock); }
HETMP_ENTRY void __kmpc_destroy_nest_lock(const void*, int, void** lock) { omp_destroy_nest_lock(lock); }
HETMP_ENTRY void __kmpc_set_nest_lock(const void*, int, void** lock) { omp_set_nest_lock(lock); }
HETMP_ENTRY void __kmpc_unset_nest_lock(const void*, int, void** lock) { omp_unset_nest_lock(lock); }
HETMP_ENTRY int __kmpc_test_nest_lock(const void*, int, void** lock) { return omp_test_nest_lock(lock); }
