// A one-way queue of messages between two node processes in memory that both map: one producer thread at a time (the
// caller sees to that), one consumer.
#pragma once

#include "dsm/node/slot.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::dsm {

/// Lives in shared memory; zero-initialised memory is an empty ring.
class Ring {
public:
  static constexpr uint64_t slots = 64; ///< a run of pages and its requests fit

  /// Producer: a slot to fill, or null if the ring is full. The consumer sees it after publish().
  Slot* reserve() {
    const uint64_t head = head_.load(std::memory_order_relaxed); // only the producer writes it
    // Acquire pairs with the release in release(): the consumer has finished reading the slot we are about to fill.
    if (head - tail_.load(std::memory_order_acquire) == slots)
      return nullptr;
    return &slot_[head % slots];
  }
  /// Release pairs with the acquire in front(): the slot's content is there before the consumer sees the new head.
  void publish() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  /// Consumer: the oldest message, or null.
  Slot* front() {
    const uint64_t tail = tail_.load(std::memory_order_relaxed); // only the consumer writes it
    if (head_.load(std::memory_order_acquire) == tail)
      return nullptr;
    return &slot_[tail % slots];
  }
  void release() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

private:
  alignas(64) std::atomic<uint64_t> head_;
  alignas(64) std::atomic<uint64_t> tail_;
  alignas(64) Slot slot_[slots];
};

} // namespace hetmp::dsm
