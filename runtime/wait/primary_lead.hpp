// Where threads share CPUs: whether a team's primary leaves its barriers first.
//
// A barrier is completed by whoever comes last, which goes on at once. Programs let threads wait for the primary by
// looking at a variable of theirs (while (!ready) {}), which the runtime cannot see. Where the primary has no CPU, they
// look until their slice of time is over, at every barrier: a runtime whose primary completes all barriers is faster
// by tens of times then. So a primary that finds itself late again and again gets the others to give it their CPUs once
// when they leave a barrier; that costs a change of threads, and nobody else pays for it.
#pragma once

#include "base/check.hpp"
#include "runtime/wait/wait.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

/// Of one team. Barriers are told apart by their epochs (team_release.hpp). All is relaxed: hints; who is wrong yields,
/// or does not. Times are monotonic nanoseconds.
class alignas(cache_line) PrimaryLead {
 public:
  /// By the last thread to come to a barrier, before it lets the others go.
  void completes(int64_t now) { completed_ns_.store(now, std::memory_order_relaxed); }

  /// By the primary, which has left the barrier that it came to in this epoch.
  void leaves(uint32_t epoch, int64_t now) {
    left_.store(epoch, std::memory_order_relaxed);
    if (now - completed_ns_.load(std::memory_order_relaxed) > late_ns)
      note_late(now);
    else if (leads_.load(std::memory_order_relaxed) && now - last_late_ns_ > lead_ns)
      leads_.store(false, std::memory_order_relaxed);
  }

  /// By another thread that has left the barrier it came to in this epoch: whether it has to let the primary go first.
  bool has_to_wait(uint32_t epoch) const {
    return leads_.load(std::memory_order_relaxed) && left_.load(std::memory_order_relaxed) != epoch;
  }

 private:
  static constexpr int64_t late_ns = 50'000;         ///< several changes of threads; a program's wait takes longer
  static constexpr int64_t together_ns = 10'000'000; ///< the kernel and other programs make it late as well, but seldom
  static constexpr uint32_t enough = 4;              ///< times late within together_ns
  static constexpr int64_t lead_ns = 1'000'000'000;

  void note_late(int64_t now) {
    if (late_ == 0 || now - first_late_ns_ > together_ns) {
      first_late_ns_ = now;
      late_ = 0;
    }
    late_ = late_ < enough ? late_ + 1 : enough;
    HETMP_CHECK(first_late_ns_ <= now);
    if (late_ < enough)
      return;
    last_late_ns_ = now;
    leads_.store(true, std::memory_order_relaxed);
  }

  std::atomic<int64_t> completed_ns_{0};
  std::atomic<uint32_t> left_{UINT32_MAX}; ///< epochs are even
  std::atomic<bool> leads_{false};
  // The primary's.
  uint32_t late_ = 0; ///< times since first_late_ns_, enough at most
  int64_t first_late_ns_ = 0;
  int64_t last_late_ns_ = 0; ///< when it was so for the last time
};

} // namespace hetmp::runtime
