// Small blocks of the node's heap that one thread keeps for itself: it allocates and frees most without a lock, and
// threads that allocate at the same time do not wait for each other. Source: Bonwick and Adams, Magazines and Vmem,
// USENIX 2001.
//
// It takes several from the heap at a time and gives several back. What it keeps lies in private memory, as all of the
// heap's bookkeeping does: it touches no shared page. Blocks of before Heap::begin_new_pages() are not kept: to hand
// them out again is the heap's to decide. From then on it has pages of its own (Heap::take_run): what threads allocate
// for themselves is else written by several nodes at the same time.
#pragma once

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
    void* const kept = take_kept(bytes);
    return kept ? kept : take_of_heap(SizeClasses::class_of(bytes));
  }

  /// False: it is no block that can be kept, and still the caller's.
  bool put(void* block) {
    if (put_kept(block)) [[likely]]
      return true;
    const unsigned size_class = class_of(block);
    if (size_class == classes)
      return false;
    give_half_back(size_class);
    return put_kept(block);
  }

  // The same without the heap, and without a call: a thread can be a guest, with another's variables, meanwhile
  // (memory_abroad.hpp).

  /// Null: there is none, or all are to be given back first.
  inline __attribute__((always_inline)) void* take_kept(size_t bytes) {
    Bin& bin = bins_[SizeClasses::class_of(bytes)];
    if (bin.count == 0 || generation_ != heap_.generation()) [[unlikely]]
      return nullptr;
    return bin.blocks[--bin.count];
  }
  /// False: it cannot be kept, or there is no room.
  inline __attribute__((always_inline)) bool put_kept(void* block) {
    const unsigned size_class = class_of(block);
    if (size_class == classes || bins_[size_class].count == most) [[unlikely]]
      return false;
    Bin& bin = bins_[size_class];
    bin.blocks[bin.count++] = block;
    return true;
  }

 private:
  static constexpr unsigned classes = SizeClasses::class_of(bytes_below) + 1;
  static constexpr uint32_t most = 16, half = most / 2;

  struct Bin {
    uint32_t count = 0;
    void* blocks[most]; ///< the first `count`; the last of them goes first
    Heap::Run own;      ///< goes when these have gone
  };

  /// `classes`: the block cannot be kept.
  inline __attribute__((always_inline)) unsigned class_of(const void* block) const {
    const size_t offset = reinterpret_cast<uintptr_t>(block) - begin_; // large for what lies below, too
    if (offset >= classes * SizeClasses::part_bytes)
      return classes;
    const auto size_class = unsigned(offset / SizeClasses::part_bytes);
    return heap_.is_old(size_class, block) ? classes : size_class;
  }

  void* take_of_heap(unsigned size_class);
  static uint32_t take_of_run(Heap::Run& run, size_t bytes, void** blocks);
  void give_half_back(unsigned size_class);
  void give_all_back();

  Heap& heap_;
  const uintptr_t begin_; ///< of the parts of the classes, the smallest first
  uint32_t generation_;   ///< of the heap, when the blocks that are kept were taken
  Bin bins_[classes];
};

} // namespace hetmp::dsm
