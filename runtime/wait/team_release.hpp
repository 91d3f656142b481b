// What the threads of a node wait on at a barrier: its completion, or tasks that they could execute meanwhile.
#pragma once

#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

/// One word: the number of barriers completed, times two, and a bit that says whether tasks have been announced since.
/// So a team without tasks pays nothing for them, and one with tasks wakes its waiting threads. No wake-up is lost: see
/// wait.hpp.
template <class Machine> class alignas(cache_line) TeamReleaseOn {
 public:
  /// Changes with every barrier completed. seq_cst: threads wait for it (bell.hpp); also acquires what was written
  /// before.
  uint32_t epoch() const { return word_.load(std::memory_order_seq_cst) & ~tasks_bit; }

  bool tasks_announced() const { return (word_.load(std::memory_order_acquire) & tasks_bit) != 0; }

  /// Returns true once the epoch differs from `seen`, false when there are tasks before that.
  bool wait_or_tasks(uint32_t seen) {
    wait_until([seen](uint32_t word) { return word != seen; });
    return epoch() != seen;
  }

  /// Returns once the epoch differs from `seen`.
  void wait_while(uint32_t seen) {
    wait_until([seen](uint32_t word) { return (word & ~tasks_bit) != seen; });
  }

  /// Any thread that is not at the barrier.
  void announce_tasks() {
    word_.fetch_or(tasks_bit, std::memory_order_seq_cst);
    wake();
  }

  /// All threads have come. Tasks stay announced.
  void complete() {
    word_.fetch_add(2, std::memory_order_seq_cst);
    wake();
  }

  /// The same where no task is left: nobody announces any before this is over.
  void complete_with_tasks() {
    word_.store((word_.load(std::memory_order_relaxed) & ~tasks_bit) + 2, std::memory_order_seq_cst);
    wake();
  }

 private:
  static constexpr uint32_t tasks_bit = 1;

  template <class Over> void wait_until(Over&& over) {
    if (Machine::spin_until([&] { return over(word_.load(std::memory_order_acquire)); }))
      return;
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (true) {
      const uint32_t word = word_.load(std::memory_order_seq_cst);
      if (over(word))
        break;
      Machine::futex_wait(word_, word);
    }
    [[maybe_unused]] const uint32_t sleepers = sleepers_.fetch_sub(1, std::memory_order_relaxed); // a hint from now on
    HETMP_CHECK(sleepers != 0);
  }

  void wake() {
    if (sleepers_.load(std::memory_order_seq_cst) != 0)
      Machine::futex_wake(word_, INT32_MAX);
  }

  /// seq_cst where it changes and where a sleeper looks for the last time: each pairs with the other's access to
  /// sleepers_. Acquired by those that do not sleep: what was written before a barrier, tasks that are announced.
  typename Machine::template Atomic<uint32_t> word_{0};
  typename Machine::template Atomic<uint32_t> sleepers_{0}; ///< seq_cst: pairs with word_
};
using TeamRelease = TeamReleaseOn<Host>;

} // namespace hetmp::runtime
