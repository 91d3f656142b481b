// How a thread waits for another: it looks again and again for a bounded time, then sleeps in the kernel until it is
// woken.
//
// No wake-up is lost. A waiter announces itself (sleepers += 1) before it looks at the epoch for the last time; a
// poster changes the epoch before it looks at sleepers. All four accesses are sequentially consistent, so at least one
// of the two sees the other (Dekker): either the poster sees a sleeper and wakes it, or the waiter sees the new epoch
// and does not sleep. If the epoch changes between the waiter's look and its futex call, the kernel's own comparison
// refuses to sleep.
#pragma once

#include "base/check.hpp"
#include "base/futex.hpp"
#include "base/thread_barrier.hpp"
#include "runtime/wait/flush_spins.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <sched.h>

namespace hetmp::runtime {

/// Sizes of what several threads write are kept apart by this many bytes (two lines: the prefetcher fetches pairs).
inline constexpr size_t cache_line = 64;

/// How long a wait spins.
struct SpinBudget {
  int64_t nanoseconds = 2'000'000; ///< 0 = sleep at once, negative = until it happens
};

/// Whether threads of this process that wait spin: how long they may, and who else wants their CPUs. With more threads
/// than CPUs a spinning thread takes time from the one it waits for: then nobody spins, but all give their CPUs away
/// between looks.
class Spinning {
 public:
  /// At the start, before there are teams, and in a forked child.
  void set(SpinBudget budget, uint32_t usable_cpus) {
    budget_ns_ = budget.nanoseconds;
    usable_cpus_ = usable_cpus;
  }

  /// One thread more, or less, may be running a team's work now.
  void thread_begins() { threads_.fetch_add(1, std::memory_order_relaxed); }
  void thread_ends() { threads_.fetch_sub(1, std::memory_order_relaxed); }
  /// A thread of the runtime's is there, or has slept in a wait; and the reverse.
  void thread_wakes() { awake_.fetch_add(1, std::memory_order_relaxed); }
  void thread_sleeps() { awake_.fetch_sub(1, std::memory_order_relaxed); }
  /// In a forked child: so many are left, and are awake.
  void keep_threads(uint32_t threads) {
    threads_.store(threads, std::memory_order_relaxed);
    awake_.store(threads, std::memory_order_relaxed);
  }

  bool pays() const { return budget_ns_ != 0 && threads_.load(std::memory_order_relaxed) <= usable_cpus_; }
  /// How many do not sleep in a wait. A hint.
  uint32_t awake() const { return awake_.load(std::memory_order_relaxed); }
  int64_t budget_ns() const { return budget_ns_; }
  uint32_t usable_cpus() const { return usable_cpus_; }
  bool has_cpus() const { return usable_cpus_ != 0; } ///< no: node processes share single CPUs
  bool has_several_cpus() const { return usable_cpus_ > 1; }

  /// Threads that would yield sleep at once until then: see yield_until(). Monotonic nanoseconds.
  void crowded_until(int64_t then) { crowded_until_.store(then, std::memory_order_relaxed); }
  bool is_crowded(int64_t now) const { return now < crowded_until_.load(std::memory_order_relaxed); }

  /// Of threads that wait for each other with flags of their own.
  FlushSpins& flushes() { return flushes_; }

 private:
  int64_t budget_ns_ = SpinBudget{}.nanoseconds;
  uint32_t usable_cpus_ = 1;
  std::atomic<uint32_t> threads_{0};      ///< relaxed: a hint; a stale value costs a spin or a sleep
  std::atomic<int64_t> crowded_until_{0}; ///< relaxed: likewise
  std::atomic<uint32_t> awake_{0};        ///< relaxed: likewise
  FlushSpins flushes_;
};
extern Spinning spinning;

inline bool spinning_pays() { return spinning.pays(); }

inline int64_t monotonic_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// What the calling thread has executed so far.
inline int64_t thread_cpu_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Looks, and lets others run in between, until `ready()`, or until that is no good; whether it became ready. The
/// kernel changes from one thread to the next that way in a fraction of the time it needs to put one to sleep and to
/// wake another.
template <class Ready> bool yield_until(Ready&& ready) {
  constexpr int64_t longest_turn =
      100'000; // of all that look as well; beyond it somebody computes, here or in another program
  constexpr int64_t longest_look = 1'000'000;
  constexpr int64_t memory = 10'000'000; // a turn of who computes takes milliseconds: not one at each wait
  if (ready())
    return true;
  const int64_t begun = monotonic_nanoseconds();
  int64_t last = begun;
  while (last - begun < longest_look && !spinning.is_crowded(last)) {
    sched_yield();
    if (ready())
      return true;
    const int64_t now = monotonic_nanoseconds();
    if (now - last > longest_turn)
      spinning.crowded_until(now + memory);
    last = now;
  }
  return false;
}

/// Spins until `ready()` or until the budget is spent; whether it became ready.
template <class Ready> bool spin_until(Ready&& ready) {
  if (spinning.budget_ns() == 0)
    return ready();
  if (!spinning_pays()) // node processes that share their CPUs (0 usable ones) sleep: the kernel brings who is woken to
                        // the front
    return spinning.has_cpus() ? yield_until(ready) : ready();
  constexpr int looks_of_first_round = 32;
  constexpr int looks_per_round = 128;
  constexpr int64_t longest_round = 200'000; // of an undisturbed thread: some microseconds
  int looks = looks_of_first_round;
  int64_t begun = 0;
  int64_t last = 0;
  while (true) {
    for (int look = 0; look < looks; look++) {
      if (ready())
        return true;
      cpu_relax();
    }
    looks = looks_per_round;
    // Soon over, or not: then whoever else wants this CPU gets it in between, perhaps the very thread we wait for: the
    // kernel may leave two threads on one CPU for tens of milliseconds. On a CPU that nobody else wants the call
    // returns at once.
    sched_yield();
    if (spinning.budget_ns() < 0 && spinning_pays())
      continue;
    const int64_t now = monotonic_nanoseconds();
    if (begun == 0)
      begun = last = now;
    // Another program had the CPU in the middle of a round: the machine is busy, and a sleeper is served sooner than
    // one that has used up its share of time by spinning.
    if (now - begun >= spinning.budget_ns() || now - last > longest_round || !spinning_pays())
      return ready();
    last = now;
  }
}

/// What the protocols of this room run on. tests/unit/wait has another machine, on which a test takes the threads of
/// each protocol through every order of steps that the memory orders allow.
struct Host {
  template <class Value> using Atomic = std::atomic<Value>;
  static void futex_wait(const FutexWord& word, uint32_t expected) {
    spinning.thread_sleeps();
    hetmp::futex_wait(word, expected);
    spinning.thread_wakes();
  }
  static void futex_wake(const FutexWord& word, int count) { hetmp::futex_wake(word, count); }
  template <class Ready> static bool spin_until(Ready&& ready) { return runtime::spin_until(ready); }
  static bool spinning_pays() { return runtime::spinning_pays(); }
  /// The compiler keeps what comes before and what comes after; the rest is barrier_in_all_threads()'s.
  static void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }
  /// Each thread of the process passes a full barrier before this returns; false: the kernel refuses.
  static bool barrier_in_all_threads() { return hetmp::barrier_in_all_threads(); }
};

/// A counter that threads wait on. Anybody may wait or post.
template <class Machine> class alignas(cache_line) EventCountOn {
 public:
  /// acquire: pairs with post(), so that what was written before the post is seen after the wait.
  uint32_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  /// Returns once the epoch differs from `seen`.
  void wait_while(uint32_t seen) {
    if (!Machine::spin_until([&] { return epoch() != seen; }))
      sleep_while(seen);
  }

  /// Moves the epoch on by one and wakes everybody who waits.
  void post() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0)
      Machine::futex_wake(epoch_, INT32_MAX);
  }

 private:
  void sleep_while(uint32_t seen) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (epoch_.load(std::memory_order_seq_cst) == seen)
      Machine::futex_wait(epoch_, seen);
    [[maybe_unused]] const uint32_t sleepers = sleepers_.fetch_sub(1, std::memory_order_relaxed); // a hint from now on
    HETMP_CHECK(sleepers != 0);
  }

  /// seq_cst where a poster moves it and a sleeper looks for the last time: each pairs with the other's access to
  /// sleepers_. Acquired by epoch().
  typename Machine::template Atomic<uint32_t> epoch_{0};
  typename Machine::template Atomic<uint32_t> sleepers_{0}; ///< seq_cst: pairs with epoch_, see above
};
using EventCount = EventCountOn<Host>;

} // namespace hetmp::runtime
