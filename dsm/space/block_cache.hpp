// Small blocks of the node's heap that one thread keeps for itself: it allocates and frees most without a lock, and
// threads that allocate at the same time do not wait for each other. Source: Bonwick and Adams, Magazines and Vmem,
// USENIX 2001.
//
// It takes several from the heap at a time and gives several back. What it keeps lies in private memory, as all of the
// heap's bookkeeping does: it touches no shared page. Blocks of before Heap::begin_new_pages() are not kept: to hand
// them out again is the heap's to decide.
#pragma once

#include "base/check.hpp"
#include "dsm/space/heap.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

class BlockCache {
 public:
  /// Of blocks of less than this many bytes, none of which has a colour.
  static constexpr size_t bytes_below = Colours::least;

  /// Of a node whose heap will not become another one's.
  BlockCache(Heap& heap, uint32_t node)
      : heap_(heap), begin_(AddressPlan::small_part(node).begin), generation_(heap.generation()) {}
  /// The heap gets what is kept.
  ~BlockCache() { give_all_back(); }
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// For less than `bytes_below`. Null: neither the cache nor the heap has one.
  void* take(size_t bytes) {
    const unsigned size_class = SizeClasses::class_of(bytes);
    HETMP_CHECK(size_class < classes);
    Bin& bin = bins_[size_class];
    if (bin.count == 0 || generation_ != heap_.generation()) [[unlikely]]
      return take_of_heap(size_class);
    return bin.blocks[--bin.count];
  }

  /// False: it is no block that can be kept, and still the caller's.
  bool put(void* block) {
    const size_t offset = reinterpret_cast<uintptr_t>(block) - begin_; // large for what lies below, too
    if (offset >= classes * SizeClasses::part_bytes)
      return false;
    const auto size_class = unsigned(offset / SizeClasses::part_bytes);
    if (heap_.is_old(size_class, block))
      return false;
    Bin& bin = bins_[size_class];
    if (bin.count == most) [[unlikely]]
      give_half_back(size_class);
    bin.blocks[bin.count++] = block;
    return true;
  }

 private:
  static constexpr unsigned classes = SizeClasses::class_of(bytes_below) + 1;
  static constexpr uint32_t most = 16, half = most / 2;

  struct Bin {
    uint32_t count = 0;
    void* blocks[most]; ///< the first `count`; the last of them goes first
  };

  void* take_of_heap(unsigned size_class);
  void give_half_back(unsigned size_class);
  void give_all_back();

  Heap& heap_;
  const uintptr_t begin_; ///< of the parts of the classes, the smallest first
  uint32_t generation_;   ///< of the heap, when the blocks that are kept were taken
  Bin bins_[classes];
};

} // namespace hetmp::dsm
