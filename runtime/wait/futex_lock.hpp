// A mutual-exclusion lock of four bytes that is free when they are zero: it fits into a kmp_critical_name.
#pragma once

#include "base/futex.hpp"
#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

/// Free, Held, or HeldAndAwaited: the last one obliges the holder to wake a sleeper. A thread that has slept takes the
/// lock as HeldAndAwaited, because others may still sleep. Not recursive, not fair.
template <class Machine> class FutexLockOn {
 public:
  bool try_lock() {
    uint32_t expected = Free;
    // acquire: pairs with the release in unlock().
    return word_.compare_exchange_strong(expected, Held, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void lock() {
    if (!try_lock())
      lock_slowly();
  }

  /// By the holder, of its own lock. A program's lock may be let go by anybody: that is its mistake.
  bool held() const { return word_.load(std::memory_order_relaxed) != Free; } // relaxed: the holder's own write

  /// As unlock(), if nobody has to be woken and somebody held it; false: nothing has happened.
  bool unlock_if_nobody_waits() {
    uint32_t expected = Held;
    return word_.compare_exchange_strong(expected, Free, std::memory_order_release, std::memory_order_relaxed);
  }

  /// False: nobody held it, which the program has to answer for.
  bool unlock() {
    const uint32_t before = word_.exchange(Free, std::memory_order_release);
    if (before == HeldAndAwaited)
      Machine::futex_wake(word_, 1);
    return before != Free;
  }

 private:
  enum : uint32_t { Free, Held, HeldAndAwaited };
  static constexpr int looks_before_sleeping = 200; // a critical section is short or not worth spinning for

  void lock_slowly() {
    if (Machine::spinning_pays()) {
      // The longer it takes, the seldomer it looks: each look takes the line away from the holder, who may want the
      // lock again at once.
      int pauses = 1;
      for (int look = 0; look < looks_before_sleeping; look += pauses) {
        if (word_.load(std::memory_order_relaxed) == Free && try_lock())
          return;
        for (int i = 0; i < pauses; i++)
          cpu_relax();
        pauses = pauses < 16 ? pauses * 2 : pauses;
      }
    }
    while (word_.exchange(HeldAndAwaited, std::memory_order_acquire) != Free)
      Machine::futex_wait(word_, HeldAndAwaited);
  }

  /// Acquired by who takes the lock, released by who lets it go; relaxed: a look before another try.
  typename Machine::template Atomic<uint32_t> word_{Free};
};
using FutexLock = FutexLockOn<Host>;

class FutexLockGuard {
 public:
  explicit FutexLockGuard(FutexLock& lock) : lock_(lock) { lock_.lock(); }
  ~FutexLockGuard() {
    HETMP_CHECK(lock_.held());
    lock_.unlock();
  }
  FutexLockGuard(const FutexLockGuard&) = delete;
  FutexLockGuard& operator=(const FutexLockGuard&) = delete;

 private:
  FutexLock& lock_;
};

} // namespace hetmp::runtime
