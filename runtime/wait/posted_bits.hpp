// Events of which each happens once, and which threads wait for one by one: the iterations of a doacross loop. 32 of
// them share two words.
#pragma once

#include "runtime/wait/wait.hpp"

#include <climits>
#include <cstdint>

namespace hetmp::runtime {

/// Memory of zeros is a valid one: nothing has been posted.
///
/// Nobody who waits is woken for another event than one of these 32, and who posts makes no system call unless somebody
/// sleeps for this very event. No wake-up is lost: a sleeper notes its event in `awaited_` before it looks at `posted_`
/// for the last time, who posts changes that before looking at `awaited_`, and all four accesses are sequentially
/// consistent (see wait.hpp). A note stays: an event happens once.
template <class Machine> class PostedBitsOn {
 public:
  static constexpr uint32_t bits = 32;

  /// seq_cst: also acquires what was written before the event was posted.
  bool is_posted(uint32_t bit) const { return (posted_.load(std::memory_order_seq_cst) & mask(bit)) != 0; }

  void post(uint32_t bit) {
    posted_.fetch_or(mask(bit), std::memory_order_seq_cst); // also the release that is_posted() acquires
    if ((awaited_.load(std::memory_order_seq_cst) & mask(bit)) != 0)
      Machine::futex_wake(posted_, INT_MAX);
  }

  /// Returns once it has been posted.
  void wait_for(uint32_t bit) {
    if (Machine::spin_until([&] { return is_posted(bit); }))
      return;
    awaited_.fetch_or(mask(bit), std::memory_order_seq_cst);
    while (true) {
      const uint32_t posted = posted_.load(std::memory_order_seq_cst);
      if ((posted & mask(bit)) != 0)
        return;
      Machine::futex_wait(posted_, posted);
    }
  }

 private:
  static uint32_t mask(uint32_t bit) {
    HETMP_CHECK(bit < bits);
    return uint32_t(1) << bit;
  }

  typename Machine::template Atomic<uint32_t> posted_{0};  ///< seq_cst: pairs with awaited_; threads sleep on it
  typename Machine::template Atomic<uint32_t> awaited_{0}; ///< seq_cst: pairs with posted_
};
using PostedBits = PostedBitsOn<Host>;

} // namespace hetmp::runtime
