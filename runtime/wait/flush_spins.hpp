// Flushes by which a program waits: while (!flag) { #pragma omp flush }. Where threads share CPUs, who waits so keeps
// the one it waits for from running, for a time slice of the kernel at each hand-over; but it can be told from one that
// computes, and gives its CPU away.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

/// Tells who does nothing but flush. Nothing here belongs to a thread: what journeys on other nodes execute must not
/// touch thread-local memory. Threads that meet in one slot only forget how often they have flushed: all is relaxed, a
/// hint.
class FlushSpins {
 public:
  /// A flush at `place`, by the thread that has its frame there, at this time in nanoseconds; whether it has done
  /// nothing else for a number of times, since it has last waited.
  bool is_repeated(const void* frame, const void* place, int64_t now) {
    Slot& slot = slots_[slot_of(frame)];
    const uintptr_t who = reinterpret_cast<uintptr_t>(frame) ^ reinterpret_cast<uintptr_t>(place);
    const bool again = slot.who.load(std::memory_order_relaxed) == who &&
                       now - slot.last_ns.load(std::memory_order_relaxed) < longest_pause_ns;
    const uint32_t times = again ? slot.times.load(std::memory_order_relaxed) + 1 : 0;
    slot.who.store(who, std::memory_order_relaxed);
    slot.times.store(times, std::memory_order_relaxed);
    slot.last_ns.store(now, std::memory_order_relaxed);
    return times >= enough;
  }

  /// It has given its CPU away until now. Who computes with a flush for each step looks like one who waits: so it goes
  /// on for a while before it is taken for one again.
  void waited(const void* frame, int64_t now) {
    Slot& slot = slots_[slot_of(frame)];
    slot.last_ns.store(now, std::memory_order_relaxed);
    slot.times.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t longest_pause_ns = 500; ///< who computes between two flushes does so for longer
  static constexpr uint32_t enough = 32;
  static constexpr size_t slots = 64;

  /// Of one thread, as long as no other one has its frames in the same slot.
  struct alignas(64) Slot {
    std::atomic<uintptr_t> who{0};
    std::atomic<int64_t> last_ns{0};
    std::atomic<uint32_t> times{0};
  };

  /// Stacks are apart by much more than a page.
  static size_t slot_of(const void* frame) {
    const uintptr_t page = reinterpret_cast<uintptr_t>(frame) >> 12;
    return (page ^ (page >> 9)) % slots;
  }

  Slot slots_[slots];
};

} // namespace hetmp::runtime
