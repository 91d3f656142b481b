// A timer that is set anew by a system call only where it would come too late. Small regions set it at each beginning,
// and need it hardly ever: the two calls that it takes to set and to stop a timer cost more than such a region's fork.
//
// What is set stays set, also when nothing is to come any more. A signal that comes too early, or for nothing, has that
// found by its handler. Where a signal would disturb, stop().
#pragma once

#include <atomic>
#include <cstdint>

namespace hetmp::dsm {

/// All by its thread, which its signals interrupt; times are those of the monotonic clock. `Timer`: see SignalTimer.
/// Invariant, wherever a signal may come: while something is due, the timer comes, at most `early_ns` later than that.
template <class Timer> class LateTimer {
 public:
  bool make() { return timer_.make(); }

  void set(int64_t when_ns) {
    due_ns_.store(when_ns, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // a handler that runs from here on sees to it
    const int64_t comes_ns = comes_ns_.load(std::memory_order_relaxed);
    if (comes_ns == never || comes_ns > when_ns)
      start(when_ns);
  }
  /// Nothing is due; a signal may come yet.
  void leave() { due_ns_.store(never, std::memory_order_relaxed); }

  /// No signal comes until set(). Returns when one was due, or `never`.
  int64_t stop() {
    const int64_t due_ns = due_ns_.exchange(never, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // no handler starts it anew
    if (has_started_.exchange(false, std::memory_order_relaxed))
      timer_.stop();
    comes_ns_.store(never, std::memory_order_relaxed);
    return due_ns;
  }

  /// In the handler of its signal: whether this is what was due. If it came too early another one will come.
  bool is_due(int64_t now_ns) {
    comes_ns_.store(never, std::memory_order_relaxed);
    const int64_t due_ns = due_ns_.load(std::memory_order_relaxed);
    if (due_ns == never)
      return false;
    if (due_ns - now_ns > early_ns) {
      start(due_ns);
      return false;
    }
    leave();
    return true;
  }

  static constexpr int64_t never = 0;
  static constexpr int64_t early_ns = 20'000; ///< is not too early

 private:
  /// A signal may come before the call. What its handler has set is sooner then by no more than what is not too early;
  /// and what is past comes at once, for its handler to see what is due.
  void start(int64_t when_ns) {
    has_started_.store(true, std::memory_order_relaxed);
    comes_ns_.store(when_ns, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    timer_.set_at(when_ns);
  }

  Timer timer_;
  std::atomic<int64_t> due_ns_{never};   ///< relaxed, all: of one thread and its handler, see the fences
  std::atomic<int64_t> comes_ns_{never}; ///< when the timer's next signal comes, or before; relaxed
  std::atomic<bool> has_started_{false}; ///< since it was stopped; relaxed
};

} // namespace hetmp::dsm
