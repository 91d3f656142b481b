// Waiting for a condition that many threads may make true, without a write by those who do unless somebody sleeps.
#pragma once

#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

/// No wake-up is lost, by the argument of wait.hpp: a waiter announces itself before it looks at the condition for the
/// last time, whoever makes it true does so before looking for sleepers, and all four accesses are sequentially
/// consistent. So conditions are made true by seq_cst writes and read by seq_cst reads.
template <class Machine> class alignas(cache_line) BellOn {
 public:
  /// Returns once `ready()`.
  template <class Ready> void wait_until(Ready&& ready) {
    if (Machine::spin_until(ready))
      return;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (true) {
      const uint32_t seen = rings_.load(std::memory_order_seq_cst);
      if (ready())
        break;
      Machine::futex_wait(rings_, seen);
    }
    [[maybe_unused]] const uint32_t sleepers = sleepers_.fetch_sub(1, std::memory_order_relaxed); // a hint from now on
    HETMP_CHECK(sleepers != 0);
  }

  /// After a condition has been made true.
  void ring() {
    if (sleepers_.load(std::memory_order_seq_cst) == 0)
      return;
    rings_.fetch_add(1, std::memory_order_seq_cst);
    Machine::futex_wake(rings_, INT32_MAX);
  }

  /// The same after it has been made true by weaker writes: those come before this look, or the waiter's look comes
  /// after both.
  void ring_after_plain_writes() {
    if (sleepers_.fetch_add(0, std::memory_order_seq_cst) == 0)
      return;
    rings_.fetch_add(1, std::memory_order_seq_cst);
    Machine::futex_wake(rings_, INT32_MAX);
  }

 private:
  typename Machine::template Atomic<uint32_t> rings_{0};
  typename Machine::template Atomic<uint32_t> sleepers_{0}; ///< seq_cst: pairs with the conditions
};
using Bell = BellOn<Host>;

} // namespace hetmp::runtime
