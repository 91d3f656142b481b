// What of a node's part of a region has been cancelled. Who cancels: sync/cancellation.hpp, loops/cancelling.hpp.
#pragma once

#include "base/check.hpp"
#include "runtime/global/heard_cancellations.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

/// OMP_CANCELLATION, where barriers find it at once. Set at the start.
inline bool regions_may_be_cancelled = false;

/// All relaxed: whoever sees it later goes on for a while; the barrier at which the threads meet orders the rest.
struct Cancellations {
  std::atomic<bool> region{false}; ///< the region is; relaxed
  std::atomic<bool> out_of_step{
      false}; ///< and threads have met different constructs; stays until the team is given back; relaxed

  const HeardCancellations* elsewhere = nullptr; ///< what other nodes have cancelled; null: the team has none

  /// Where the number of a cancelled loop or sections is kept. The latest ones never have to be forgotten while the
  /// region lasts: a thread that is in the construct before, or behind, has another number.
  std::atomic<uint32_t>& of_worksharing(uint32_t construct) {
    HETMP_CHECK(construct != 0); // which means none
    return worksharing_[construct % ring];
  }

  /// Before a region begins.
  void forget(const HeardCancellations* of_other_nodes) {
    elsewhere = of_other_nodes;
    region.store(false, std::memory_order_relaxed);
    for (std::atomic<uint32_t>& construct : worksharing_)
      construct.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t ring = 16;
  std::atomic<uint32_t> worksharing_[ring] = {};
};

} // namespace hetmp::runtime
