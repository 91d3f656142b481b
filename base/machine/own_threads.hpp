// How many threads of a process are not its program's.
#pragma once

#include "base/machine/process_status.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace hetmp {

/// Those that one library has made. A thread counts from some time after its beginning to some time before its end, so
/// whoever takes `alive()` from all threads there are may have a program's thread too many for a moment, and never one
/// too few.
class OwnThreads {
 public:
  /// Runs `body(argument)` on the calling thread, which is one of these.
  void* run(void* (*body)(void*), void* argument) {
    alive_.fetch_add(1, std::memory_order_relaxed); // relaxed: a number; nothing else hangs on it
    void* const result = body(argument);
    alive_.fetch_sub(1, std::memory_order_relaxed); // relaxed: likewise
    return result;
  }

  uint32_t alive() const { return alive_.load(std::memory_order_relaxed); } // relaxed: likewise

  /// In a forked child, where there are none.
  void forget() { alive_.store(0, std::memory_order_relaxed); } // relaxed: it has one thread

 private:
  std::atomic<uint32_t> alive_{0}; ///< relaxed, see run()
};

/// Returns when the process has none but those that `own()` counts and its initial thread, which is there until the
/// process ends, even if it has left. Looks again and again: nobody tells of a thread's end.
template <class Own> void wait_for_last_thread(Own own) {
  constexpr timespec moment{0, 10'000'000};
  while (threads_of_process() > own() + 1)
    nanosleep(&moment, nullptr);
}

} // namespace hetmp
