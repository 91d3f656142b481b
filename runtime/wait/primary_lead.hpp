// Where threads share CPUs: whether a team's primary leaves its barriers first.
//
// A barrier is completed by whoever comes last, which goes on at once. Programs let threads wait for the primary by
// looking at a variable of theirs (while (!ready) {}), which the runtime cannot see. Where the primary has no CPU, they
// look until their slice of time is over, at every barrier: a runtime whose primary completes all barriers is faster
// by tens of times then. So a primary that finds itself late again and again gets the others to give it their CPUs once
// when they leave a barrier.
//
// That costs a change of threads at each barrier, which nobody needs where something else has made the primary late.
// So it leads for as many barriers as cost about what it has lost by being late; and for twice as many as the last time
// if it is late again soon after that. A program that needs it pays a few times more than once, one that does not need
// it at most as much again as it has lost. (To rent, then to buy: Karlin, Manasse, Rudolph and Sleator, 1988.)
#pragma once

#include "base/check.hpp"
#include "runtime/wait/wait.hpp"

#include <algorithm>
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
    const int64_t late = now - completed_ns_.load(std::memory_order_relaxed);
    if (late > late_ns)
      note_late(late, now);
    else if (leads_.load(std::memory_order_relaxed))
      go_on();
    else
      ++without_;
  }

  /// By another thread that has left the barrier it came to in this epoch: whether it has to let the primary go first.
  bool has_to_wait(uint32_t epoch) const {
    return leads_.load(std::memory_order_relaxed) && left_.load(std::memory_order_relaxed) != epoch;
  }

 private:
  static constexpr int64_t late_ns = 300'000; ///< many changes of threads; a slice of time is several times longer
  static constexpr uint32_t enough = 4;       ///< times late, close together:
  static constexpr int64_t lost_part = 16;    ///< more than one part in so many of the time since then was lost by it
  static constexpr int64_t change_ns = 2'000; ///< what a change of threads costs, about
  static constexpr uint64_t longest_lead = uint64_t(1) << 40;

  void note_late(int64_t late, int64_t now) {
    if (times_ != 0 && now - first_ns_ > lost_ns_ * lost_part)
      times_ = 0;
    if (times_ == 0) {
      first_ns_ = now;
      lost_ns_ = 0;
    }
    HETMP_CHECK(first_ns_ <= now && times_ < enough);
    lost_ns_ += late;
    if (++times_ < enough)
      return;
    times_ = 0;
    const uint64_t worth = uint64_t(lost_ns_ / change_ns);
    lead_ = without_ <= lead_ ? std::clamp(2 * lead_, worth, longest_lead) : worth;
    left_of_lead_ = lead_;
    without_ = 0;
    leads_.store(true, std::memory_order_relaxed);
  }

  void go_on() {
    HETMP_CHECK(left_of_lead_ != 0);
    if (--left_of_lead_ == 0)
      leads_.store(false, std::memory_order_relaxed);
  }

  std::atomic<int64_t> completed_ns_{0};
  std::atomic<uint32_t> left_{UINT32_MAX}; ///< epochs are even
  std::atomic<bool> leads_{false};
  // The primary's.
  uint32_t times_ = 0; ///< late since first_ns_, less than enough
  int64_t first_ns_ = 0;
  int64_t lost_ns_ = 0;       ///< by these
  uint64_t lead_ = 0;         ///< the last one, in barriers,
  uint64_t left_of_lead_ = 0; ///< what is left of it,
  uint64_t without_ = 0;      ///< and barriers since then
};

} // namespace hetmp::runtime
