// A one-way queue of messages between two node processes in memory that both map: one producer thread at a time (the
// caller sees to that), one consumer.
//
// Headers and data lie apart, so that the data of consecutive slots are one piece: a message takes as many slots as its
// data have pages, one at least. Where the ring ends before they fit, the slots left are skipped.
#pragma once

#include "base/check.hpp"
#include "dsm/transport/slot.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hetmp::dsm {

/// Lives in shared memory; zero-initialised memory is an empty ring.
class Ring {
 public:
  static constexpr uint64_t slots = 128;
  static_assert(slots >= 2 * most_data_pages, "whatever is skipped, the largest message fits an empty ring");

  /// Room for one message.
  struct Place {
    SlotHeader* header = nullptr; ///< null: none
    uint8_t* data = nullptr;
  };

  /// Producer: where to put a message with so much data; none if the ring is too full. The consumer sees it after
  /// publish().
  Place reserve(size_t data_bytes) {
    HETMP_CHECK(data_bytes <= most_data_bytes);
    const uint64_t head = head_.load(std::memory_order_relaxed); // only the producer writes it
    const uint64_t skipped = skipped_at(head, data_bytes);
    reserved_ = skipped + slots_for(data_bytes);
    // Acquire pairs with the release in release(): the consumer has finished reading the slots we are about to fill.
    if (head + reserved_ - tail_.load(std::memory_order_acquire) > slots)
      return {};
    if (skipped != 0)
      header_[head % slots].header_bytes = skip_mark;
    const uint64_t index = (head + skipped) % slots;
    HETMP_CHECK(index + slots_for(data_bytes) <= slots); // the data are one piece
    return {&header_[index], data_[index]};
  }
  /// Release pairs with the acquire in empty(): the message is there before the consumer sees the new head.
  void publish() {
    const uint64_t head = head_.load(std::memory_order_relaxed); // only the producer writes it
    // acquire: the consumer only ever moves on, so what reserve() has found is still free
    HETMP_CHECK(reserved_ != 0 && head + reserved_ - tail_.load(std::memory_order_acquire) <= slots);
    head_.store(head + reserved_, std::memory_order_release);
  }

  /// Consumer: whether there is a message. Acquire pairs with the release in publish(); it alone writes the tail.
  bool empty() const { return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_relaxed); }
  /// Consumer: the oldest message; requires !empty(). Valid until release().
  Slot front() {
    HETMP_CHECK(!empty());
    uint64_t tail = tail_.load(std::memory_order_relaxed); // only the consumer writes it
    if (header_[tail % slots].header_bytes == skip_mark) {
      tail += slots - tail % slots;
      tail_.store(tail, std::memory_order_release); // pairs with the acquire in reserve(): the mark has been read
      HETMP_CHECK(tail % slots == 0 && !empty());   // the message itself follows
    }
    return {header_[tail % slots], data_[tail % slots]};
  }
  /// Release pairs with the acquire in reserve(): the message has been read before the producer sees the new tail.
  void release() {
    const uint64_t tail = tail_.load(std::memory_order_relaxed); // only the consumer writes it
    HETMP_CHECK(!empty());
    tail_.store(tail + slots_for(header_[tail % slots].data_bytes), std::memory_order_release);
  }

  /// Consumer: slots taken so far. relaxed: it alone writes them.
  uint64_t taken() const { return tail_.load(std::memory_order_relaxed); }

  /// Producer: it found no room and wants to hear when there is some. Then it has to try once more before it sleeps. In
  /// the total order of the two fences either that try comes after the consumer's release, or the consumer sees the
  /// wish.
  void wish_for_room() {
    wish_.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Consumer, after each release(): whether the producer is to be told now. Takes the wish back. Not for every slot,
  /// but when half the ring is free; who empties the ring comes to that.
  bool takes_wish() {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    // relaxed: a hint; at the least what empty() has seen, and then the producer may hear of room a little early
    if (head_.load(std::memory_order_relaxed) - tail > slots / 2)
      return false;
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the fence in wish_for_room()
    return wish_.load(std::memory_order_relaxed) != 0 && wish_.exchange(0, std::memory_order_relaxed) != 0;
  }

 private:
  static constexpr uint16_t skip_mark = UINT16_MAX; ///< no message's header_bytes

  static uint64_t slots_for(size_t data_bytes) {
    return std::max<uint64_t>((data_bytes + page_bytes - 1) / page_bytes, 1);
  }
  static uint64_t skipped_at(uint64_t head, size_t data_bytes) {
    const uint64_t left = slots - head % slots;
    return slots_for(data_bytes) > left ? left : 0;
  }

  alignas(64) std::atomic<uint64_t> head_;
  uint64_t reserved_; ///< the producer's own
  alignas(64) std::atomic<uint64_t> tail_;
  alignas(64) std::atomic<uint32_t> wish_;
  alignas(64) SlotHeader header_[slots];
  alignas(page_bytes) uint8_t data_[slots][page_bytes];
};

} // namespace hetmp::dsm
