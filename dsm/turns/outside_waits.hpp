// Which of a node's threads wait for what other nodes do, as far as the runtime tells.
#pragma once

#include <atomic>
#include <cstdint>

namespace hetmp::dsm {

/// Any thread writes it, the service thread looks. Relaxed throughout: nothing else is learned from its value.
class OutsideWaits {
 public:
  void begin() { word_.fetch_add(one + begun, std::memory_order_relaxed); }
  void end() { word_.fetch_sub(one, std::memory_order_relaxed); }

  struct View {
    uint32_t waiting = 0; ///< threads
    uint32_t begun = 0;   ///< how often a wait was begun, modulo 2^32
    bool operator==(const View&) const = default;
  };
  View view() const {
    const uint64_t word = word_.load(std::memory_order_relaxed);
    return {uint32_t(word % begun), uint32_t(word / begun)};
  }

 private:
  static constexpr uint64_t one = 1, begun = uint64_t(1) << 32; ///< the view's numbers, one below the other
  std::atomic<uint64_t> word_{0};
};

} // namespace hetmp::dsm
