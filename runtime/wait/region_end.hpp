// How the primary thread of a node's part of a team learns that the workers have left it.
#pragma once

#include "runtime/wait/wait.hpp"

namespace hetmp::runtime {

/// Counts workers down to zero; the primary waits for that. One word: the workers that have not left, times two, and a
/// bit that says whether the team has had tasks in this region. A worker leaves in one step if it has not; otherwise it
/// stays to help, and the primary goes and does so too. Whoever sets the bit learns in the same step that some have
/// left before: they are called back (tasking/helping.cpp). The primary may use the object again as soon as wait() has
/// returned.
template <class Machine> class alignas(cache_line) RegionEndOn {
 public:
  /// By the primary, before the workers can know of it. `region`: a name that no other region of the process has had.
  void start(uint32_t workers, uint64_t region) {
    HETMP_CHECK(workers != 0 && region != 0);
    region_ = region;
    word_.store(workers * 2, std::memory_order_relaxed);
    helping.store(0, std::memory_order_relaxed);
  }

  /// Whether the worker has left: then it must not touch the team any more. False: there are tasks.
  bool leave_unless_tasks() {
    uint32_t word = word_.load(std::memory_order_relaxed);
    do {
      HETMP_CHECK(word >> 1 != 0); // the caller has not left
      if (word & tasks_bit)
        return false;
      // seq_cst: also the release that wait() pairs with.
    } while (!word_.compare_exchange_weak(word, word - 2, std::memory_order_seq_cst, std::memory_order_relaxed));
    if (word == 2)
      wake();
    return true;
  }

  void leave() {
    // seq_cst: also the release that wait() pairs with.
    const uint32_t before = word_.fetch_sub(2, std::memory_order_seq_cst);
    HETMP_CHECK(before >> 1 != 0);
    if (before >> 1 == 1)
      wake();
  }

  /// By the primary, or by a worker that has not left: one more that will, for each worker that it calls back.
  void add(uint32_t workers) {
    // relaxed: a worker that calls leaves later, by an operation of the same word that the primary acquires.
    word_.fetch_add(workers * 2, std::memory_order_relaxed);
  }

  bool tasks_announced() const { return (word_.load(std::memory_order_acquire) & tasks_bit) != 0; }

  /// Whether the caller was the first; acquires what workers did before they left.
  bool announce_tasks() {
    const uint32_t before = word_.fetch_or(tasks_bit, std::memory_order_seq_cst);
    wake();
    return (before & tasks_bit) == 0;
  }

  /// By threads that have not left.
  uint64_t region() const { return region_; }

  /// Workers that have not left. seq_cst: what the primary waits for.
  uint32_t workers() const { return word_.load(std::memory_order_seq_cst) >> 1; }

  /// Returns true once all have left, false when there are tasks.
  bool wait_or_tasks() {
    wait_until([](uint32_t word) { return word == 0 || (word & tasks_bit) != 0; });
    return !tasks_announced();
  }

  /// Returns once all have left.
  void wait() {
    wait_until([](uint32_t word) { return word >> 1 == 0; });
  }

  /// Workers that are at the end of the region and help with tasks. seq_cst: what the primary waits for.
  typename Machine::template Atomic<uint32_t> helping{0};

 private:
  static constexpr uint32_t tasks_bit = 1;

  template <class Over> void wait_until(Over&& over) {
    // acquire: pairs with every worker's leaving (a release sequence).
    if (Machine::spin_until([&] { return over(word_.load(std::memory_order_acquire)); }))
      return;
    sleeps_.store(true, std::memory_order_seq_cst);
    while (true) {
      const uint32_t word = word_.load(std::memory_order_seq_cst);
      if (over(word))
        break;
      Machine::futex_wait(word_, word);
    }
    sleeps_.store(false, std::memory_order_relaxed);
  }

  void wake() {
    if (sleeps_.load(std::memory_order_seq_cst))
      Machine::futex_wake(word_, 1);
  }

  /// seq_cst where it changes and where the primary looks for the last time: each pairs with the other's access to
  /// sleeps_. relaxed where it is set before the workers know of the region, which their start publishes.
  typename Machine::template Atomic<uint32_t> word_{0};
  typename Machine::template Atomic<bool> sleeps_{false}; ///< seq_cst: pairs with word_; reset when it means nothing
  uint64_t region_ = 0;                                   ///< here, where every worker comes at the end anyway
};
using RegionEnd = RegionEndOn<Host>;

} // namespace hetmp::runtime
