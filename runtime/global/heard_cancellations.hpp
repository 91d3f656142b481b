// What this process has heard of cancellations on other nodes. It lies in private memory and is written without a lock,
// so the thread that serves page faults may write it.
//
// It is named by the team's identity and the number of the construct in the team, and belongs to teams that follow each
// other. Their identities grow, so
//   H1  what is heard of a team before its part begins here stays: messages may overtake the one that begins it;
//   H2  what is heard of a team when another has begun does nothing: a smaller identity is not taken in, and what is
//       kept under one identity is nothing to the threads of another;
//   H3  what is heard of a construct that is over does nothing: no later one of the team has its number.
// The same may be heard any number of times, from any number of nodes.
#pragma once

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

class HeardCancellations {
 public:
  /// Instead of a construct: the team's region.
  static constexpr uint32_t whole_region = 0;

  /// One caller at a time.
  void hear(uint64_t team, uint32_t construct) {
    const uint64_t latest = team_.load(std::memory_order_relaxed); // only callers write it
    if (team < latest)
      return;
    if (team > latest) {
      for (std::atomic<uint32_t>& word : constructs_)
        word.store(0, std::memory_order_relaxed); // published by the team's identity
      region_.store(false, std::memory_order_relaxed);
      team_.store(team, std::memory_order_release); // pairs with the acquire in has_heard()
    }
    // relaxed, both: whoever sees it later goes on for a while; barriers order the rest.
    if (construct == whole_region)
      region_.store(true, std::memory_order_relaxed);
    else // relaxed: as above
      constructs_[construct % ring].store(construct, std::memory_order_relaxed);
  }

  /// By a thread of the team: no later team has begun.
  bool has_heard(uint64_t team, uint32_t construct) const {
    // acquire: pairs with the release in hear(), the words are not those of a team before.
    if (team_.load(std::memory_order_acquire) != team)
      return false;
    // relaxed, both: see hear().
    return construct == whole_region ? region_.load(std::memory_order_relaxed)
                                     : constructs_[construct % ring].load(std::memory_order_relaxed) == construct;
  }

 private:
  /// A construct that is cancelled ends with a barrier, so one place would do for correct programs.
  static constexpr uint32_t ring = 16;

  std::atomic<uint64_t> team_{0}; ///< released by hear(), acquired by has_heard()
  std::atomic<bool> region_{false};
  std::atomic<uint32_t> constructs_[ring] = {};
};

} // namespace hetmp::runtime
