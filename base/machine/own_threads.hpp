// How many threads of a process are not its program's.
#pragma once

#include "base/machine/process_status.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace hetmp {

/// Those that one library has made. A thread counts from some time after its beginning to some time before its end.
class OwnThreads {
 public:
  struct Count {
    uint32_t begun = 0, ended = 0;
    Count operator+(Count other) const { return {begun + other.begun, ended + other.ended}; }
  };

  /// Runs `body(argument)` on the calling thread, which is one of these.
  void* run(void* (*body)(void*), void* argument) {
    begun_.fetch_add(1, std::memory_order_relaxed); // relaxed: a number; nothing else hangs on it
    void* const result = body(argument);
    ended_.fetch_add(1, std::memory_order_relaxed); // relaxed: likewise; the end itself, in the kernel, comes behind
    return result;
  }

  Count count() const {
    return {begun_.load(std::memory_order_relaxed), ended_.load(std::memory_order_relaxed)}; // relaxed: likewise
  }

  /// In a forked child, where there are none.
  void forget() {
    begun_.store(0, std::memory_order_relaxed); // relaxed: it has one thread
    ended_.store(0, std::memory_order_relaxed); // relaxed: likewise
  }

 private:
  std::atomic<uint32_t> begun_{0}, ended_{0}; ///< relaxed, see run()
};

/// Of a process's threads, those that may be others than its own and its initial one: maybe some too many, as its own
/// begin and end meanwhile, and never one too few. `before` and `after`: its own, before and after all were counted.
constexpr uint32_t threads_of_others(OwnThreads::Count before, uint32_t all, OwnThreads::Count after) {
  const uint32_t surely_own = before.begun > after.ended ? before.begun - after.ended : 0; // there all the while
  return all > surely_own + 1 ? all - surely_own - 1 : 0;
}

/// Returns when the process has none but its own, which `own()` counts, and its initial thread, which is there until
/// the process ends, even if it has left. Looks again and again: nobody tells of a thread's end.
template <class Own> void wait_for_last_thread(Own own) {
  constexpr timespec moment{0, 10'000'000};
  const auto others = [&own] {
    const OwnThreads::Count before = own();
    const uint32_t all = threads_of_process();
    return threads_of_others(before, all, own());
  };
  while (others() != 0)
    nanosleep(&moment, nullptr);
}

} // namespace hetmp
