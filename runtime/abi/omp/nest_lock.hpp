// A nestable lock in the eight bytes of an omp_nest_lock_t. A task owns it, not a thread (OpenMP 5.1, section 3.9):
// another task that the thread executes meanwhile may not set it.
#pragma once

#include "runtime/wait/wait.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// The first word is 0 when free, else the owner's number, which is not 0, shifted left by one; its lowest bit,
/// `awaited`, obliges the owner to wake a sleeper when it leaves. The second word counts the owner's locks and belongs
/// to the owner alone. A thread that has slept takes the lock with `awaited`, because others may still sleep.
class NestLock {
 public:
  /// The new count.
  int lock(uint32_t owner) {
    if (held_by(owner))
      return ++count_;
    if (!try_take(mark(owner)))
      take_slowly(mark(owner));
    return count_ = 1;
  }

  /// The new count, or 0 when another owner holds the lock.
  int try_lock(uint32_t owner) {
    if (held_by(owner))
      return ++count_;
    return try_take(mark(owner)) ? count_ = 1 : 0;
  }

  /// The owner's own count; 0: it is not the owner.
  int count_of(uint32_t owner) const { return held_by(owner) ? count_ : 0; }

  /// Returns the count left, or -1 when nobody held it. Only by the owner.
  int unlock() {
    if (--count_ > 0)
      return count_;
    // release: pairs with the acquire in try_take() of the next owner.
    const uint32_t before = word_.exchange(0, std::memory_order_release);
    if (before & awaited)
      futex_wake(word_, 1);
    return before == 0 ? -1 : 0;
  }

 private:
  static constexpr uint32_t awaited = 1;
  static constexpr int looks_before_sleeping = 200;

  static uint32_t mark(uint32_t owner) { return owner << 1; }

  /// relaxed: the word can hold this owner's mark only if this very task has put it there.
  bool held_by(uint32_t owner) const { return (word_.load(std::memory_order_relaxed) & ~awaited) == mark(owner); }

  bool try_take(uint32_t value) {
    uint32_t expected = 0;
    return word_.compare_exchange_strong(expected, value, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void take_slowly(uint32_t value) {
    for (int look = 0; spinning_pays() && look < looks_before_sleeping; look++) {
      if (try_take(value))
        return;
      cpu_relax();
    }
    while (!try_take(value | awaited)) {
      uint32_t seen = word_.load(std::memory_order_relaxed);
      if (seen == 0)
        continue;
      // Sleep only under a word that says so; if the owner leaves meanwhile, the exchange or the kernel
      // notices.
      if ((seen & awaited) ||
          word_.compare_exchange_strong(seen, seen | awaited, std::memory_order_relaxed, std::memory_order_relaxed))
        futex_wait(word_, seen | awaited);
    }
  }

  /// Acquired by who takes the lock, released by who lets it go; relaxed: a look before another try.
  FutexWord word_{0};
  int count_ = 0;
};
static_assert(sizeof(NestLock) == 8);

} // namespace hetmp::runtime
