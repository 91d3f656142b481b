// How many threads there may be at a time: an initial thread, the threads of its regions and of regions inside of these
// are a contention group, for which thread-limit-var holds (OpenMP 5.1, section 2.4). Nobody counts where there is no
// limit.
#pragma once

#include "base/check.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t no_thread_limit = 0x7fffffff;

/// The part of a group that runs on this node. It begins with the group's outermost region of several threads, in whose
/// NodeTeam it lies. What that region leaves of the limit is dealt to the nodes by their threads, so that regions
/// inside need not ask other nodes.
struct ContentionGroup {
  uint32_t limit = 0;            ///< thread-limit-var of the group's tasks
  uint32_t allowed = 0;          ///< threads on this node
  std::atomic<uint32_t> busy{0}; ///< of those, in regions; relaxed: a number and nothing else

  void begin(uint32_t limit_of_all, uint32_t allowed_here, uint32_t threads) {
    HETMP_CHECK(threads <= allowed_here);
    limit = limit_of_all;
    allowed = allowed_here;
    busy.store(threads, std::memory_order_relaxed);
  }

  /// Of a thread of the group that wants a team of `threads`, itself included: how many it gets, until it gives them
  /// back.
  uint32_t take(uint32_t threads) {
    HETMP_CHECK(threads != 0);
    uint32_t now = busy.load(std::memory_order_relaxed), more = 0;
    do
      more = std::min(threads - 1, allowed - std::min(now, allowed));
    while (!busy.compare_exchange_weak(now, now + more, std::memory_order_relaxed));
    HETMP_CHECK(1 + more <= threads && (more == 0 || now + more <= allowed));
    return 1 + more;
  }
  void give_back(uint32_t threads) {
    [[maybe_unused]] const uint32_t before = busy.fetch_sub(threads - 1, std::memory_order_relaxed);
    HETMP_CHECK(threads != 0 && before >= threads - 1); // they were taken
  }
};

/// Gives back what a region has taken when it ends.
class ContentionScope {
 public:
  /// `group`: null if nobody counts.
  ContentionScope(ContentionGroup* group, uint32_t threads) : group_(group), threads_(threads) {}
  ~ContentionScope() {
    if (group_)
      group_->give_back(threads_);
  }
  ContentionScope(const ContentionScope&) = delete;
  ContentionScope& operator=(const ContentionScope&) = delete;

 private:
  ContentionGroup* group_;
  uint32_t threads_;
};

} // namespace hetmp::runtime
