// A lock for sections of some nanoseconds that are entered very often.
#pragma once

#include "base/check.hpp"
#include "base/futex.hpp"
#include "base/raw_call.hpp"

#include <atomic>
#include <ctime>

namespace hetmp::dsm {

/// Half as dear as a mutex that nobody else wants: unlocking is a plain store. So nobody can be woken, and whoever
/// waits looks again: at once, then after others have had the CPU, then after some sleep, since the holder may have
/// lost its CPU or may wait for memory. Not recursive, not fair. Leaves errno alone.
class ShortLock {
 public:
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) &&         // relaxed: only a look, which leaves the line where it is
           !held_.exchange(true, std::memory_order_acquire); // acquire: pairs with the release in unlock()
  }
  void lock() {
    if (held_.exchange(true, std::memory_order_acquire)) [[unlikely]] // acquire: as in try_lock()
      wait();
  }
  /// By the holder.
  void unlock() {
    HETMP_CHECK(held_.load(std::memory_order_relaxed)); // relaxed: the holder's own write
    held_.store(false, std::memory_order_release);      // release: what was done with the lock is seen by the next
  }

 private:
  __attribute__((noinline, cold)) void wait() {
    constexpr int looks = 100, turns = 100;
    constexpr timespec sleep{0, 50'000};
    for (int look = 0; !try_lock(); ++look) {
      if (look < looks)
        cpu_relax();
      else if (look < looks + turns)
        raw::call(SYS_sched_yield);
      else
        raw::call(SYS_nanosleep, long(&sleep), 0);
    }
  }

  std::atomic<bool> held_{false};
};

} // namespace hetmp::dsm
