// This node's share of the program's heap: blocks in the node's slice of the address plan.
//
// All bookkeeping lies in private memory and none in the blocks: allocating and freeing touches no shared page, so it
// never faults, and the service thread may free on behalf of other nodes. A small block's size follows from its
// address alone (each size class has its own part of the slice), so any node can tell it without asking. A large block
// keeps its size in the page before it, which its owner writes once.
#pragma once

#include "dsm/space/address_plan.hpp"
#include "dsm/space/free_extents.hpp"
#include "dsm/space/memory_budget.hpp"
#include "dsm/space/short_lock.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace hetmp::dsm {

/// Sizes of small blocks: 16, 32, ... 128, then four steps to each doubling, up to 32 KiB.
class SizeClasses {
 public:
  static constexpr size_t largest = 32 << 10;
  static constexpr unsigned count = 40;
  static constexpr size_t part_bytes = small_part_bytes / 64; ///< address space of one class, a power of two

  __attribute__((always_inline)) static constexpr unsigned class_of(size_t bytes) {
    if (bytes <= 128)
      return bytes == 0 ? 0 : unsigned((bytes - 1) / 16);
    const unsigned doubling = 63 - unsigned(__builtin_clzll(bytes - 1)); // bytes in (2^doubling, 2^(doubling+1)]
    const unsigned step = unsigned((bytes - 1 - (size_t(1) << doubling)) >> (doubling - 2));
    return 8 + (doubling - 7) * 4 + step;
  }
  static constexpr size_t bytes_of(unsigned size_class) {
    if (size_class < 8)
      return (size_class + 1) * 16;
    const unsigned doubling = 7 + (size_class - 8) / 4;
    return (size_t(1) << doubling) + (((size_class - 8) % 4 + 1) << (doubling - 2));
  }
  /// Of a small block of any node.
  static constexpr unsigned class_at(uintptr_t address) {
    return unsigned((address - slices_begin) % slice_bytes / part_bytes);
  }
};
static_assert(SizeClasses::bytes_of(SizeClasses::count - 1) == SizeClasses::largest);
static_assert(SizeClasses::class_of(SizeClasses::largest) == SizeClasses::count - 1);

/// Where a block begins in its room: not all at the same cache line of a page. Else the rows of a matrix, each
/// allocated by itself, would lie so that a column of it uses few sets of the caches (Bonwick, The slab allocator,
/// USENIX 1994). More than a few such lines are no better: what else is cached needs sets as well.
class Colours {
 public:
  static constexpr size_t least = 1 << 10;  ///< bytes of a block for which that is done;
  static constexpr size_t most = 128 << 10; ///< larger ones begin with their page
  static constexpr size_t step = 64;        ///< a cache line
  static constexpr size_t few = 8, enough = 16;

  static constexpr bool use(size_t bytes, size_t alignment) {
    return bytes >= least && bytes <= most && alignment <= step;
  }
  /// What a block asks for besides its bytes.
  static constexpr size_t room(size_t bytes) {
    constexpr size_t shortest = 2 << 10; // below, what is left by chance will do
    return bytes < shortest ? 0 : (few - 1) * step;
  }
  /// Of the n-th block, in bytes behind the begin of its room, which has so many more than the block.
  static constexpr size_t offset(size_t n, size_t spare) {
    return n % std::bit_floor(std::min(spare / step + 1, enough)) * step;
  }
};

class Heap {
 public:
  /// Whether the pages around an address may still be given back to the system: not once another node has seen them.
  using MayDiscard = bool (*)(Segment range);

  void become(uint32_t node, MayDiscard may_discard);
  void set_may_discard(MayDiscard may_discard) { may_discard_ = may_discard; }
  /// Without one, address space is the only limit.
  void set_budget(MemoryBudget* budget) { budget_ = budget; }

  /// Null when the slice or the budget is exhausted. `alignment`: a power of two, at least 16 is always given.
  void* allocate(size_t bytes, size_t alignment = 16);
  /// As allocate, all bytes zero.
  void* allocate_zeroed(size_t bytes);
  /// A large block of this node gets room for so many bytes where it is, if what lies behind it is free. Any thread but
  /// the service thread.
  bool grow_in_place(void* block, size_t bytes);
  /// Where a block of any node is to be that has to have so many bytes and cannot stay as it is: in its place, if it
  /// grows there, else a new one for its content, as allocate. A large one that grows has room besides, so that it is
  /// not moved each time it grows by little. Any thread but the service thread.
  void* resize(void* block, size_t bytes);
  /// Of a block of this node. Any thread but the service thread.
  void free(void* block);
  /// As free; false if it would have to wait for another thread. For the service thread.
  bool try_free(void* block);

  /// Small blocks that are handed out from now on share no page with those handed out before, as far as that costs no
  /// more than two pages and an eighth of what there is of a size. From then on threads' caches get pages of their own.
  void begin_new_pages();

  // For a thread's cache of small blocks (block_cache.hpp), of classes without colours. Any thread but the service
  // thread.

  /// Blocks that lie one behind the other, of which none has been handed out before.
  struct Run {
    uintptr_t next = 0, end = 0;
    bool empty() const { return next == end; }
  };
  /// What a page holds, or a few, of which nobody else has any blocks. Empty: there are free blocks, or threads need no
  /// pages of their own.
  Run take_run(unsigned size_class);
  /// Up to so many blocks, the lowest last; returns how many.
  uint32_t take_small(unsigned size_class, void** blocks, uint32_t most);
  void put_small(unsigned size_class, void* const* blocks, uint32_t count);
  /// Changes when what is kept must be given back, to be sorted anew. relaxed: that may be noticed a little later.
  __attribute__((always_inline)) uint32_t generation() const { return generation_.load(std::memory_order_relaxed); }
  /// Whether the block is of before begin_new_pages(), and to stay free. relaxed: as generation()
  __attribute__((always_inline)) bool is_old(unsigned size_class, const void* block) const {
    return reinterpret_cast<uintptr_t>(block) < small_[size_class].new_from.load(std::memory_order_relaxed);
  }

  enum class Purpose { Use, Reserve }; ///< reserved address space does not count as memory
  /// Whole pages, zeroed; freed by unmap, in parts if need be.
  void* map(size_t bytes, Purpose purpose = Purpose::Use);
  void unmap(void* begin, size_t bytes);
  /// As unmap; false if it would have to wait for another thread. For the service thread.
  bool try_unmap(Segment range);

  /// The parts of a slice that blocks lie in: of each size class, and of large blocks and mappings.
  static constexpr unsigned parts = SizeClasses::count + 1;
  static Segment part(uint32_t node, unsigned part) {
    if (part == SizeClasses::count)
      return AddressPlan::large_part(node);
    const uintptr_t begin = AddressPlan::small_part(node).begin + part * SizeClasses::part_bytes;
    return {begin, begin + SizeClasses::part_bytes};
  }
  /// Of this node's part: what lies behind has never been handed out. Any thread.
  uintptr_t used_until(unsigned part) const {
    // relaxed: whoever asks gets to know of a block by other ways, and of those that are being made by none
    return part == SizeClasses::count ? large_next_.load(std::memory_order_relaxed)
                                      : small_[part].next.load(std::memory_order_relaxed);
  }

  /// While it exists no other thread is inside the heap: what a new process inherits of it is whole, and not locked by
  /// a thread that is not there. The calling thread must not allocate from it.
  class Quiet {
   public:
    explicit Quiet(Heap& heap);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    Heap& heap_;
  };

  /// Usable bytes of any node's block.
  static size_t usable_bytes(const void* block);
  /// Whether realloc() leaves a block of so many usable bytes where it is.
  static bool stays_in_place(size_t usable, size_t bytes) {
    return bytes <= usable && (bytes >= usable / 2 || usable <= 64);
  }
  static uint32_t owner(const void* block) {
    return uint32_t((reinterpret_cast<uintptr_t>(block) - slices_begin) / slice_bytes);
  }

 private:
  /// Where a small block's room begins, in units of `room_unit` bytes behind the begin of its class's part.
  using Room = uint32_t;
  static constexpr size_t room_unit = 16;
  static_assert(SizeClasses::part_bytes / room_unit <= size_t(UINT32_MAX) + 1);
  struct SmallClass {
    ShortLock lock;
    std::atomic<uintptr_t> next{0}; ///< first block never handed out; written with the lock
    uintptr_t end = 0;
    uintptr_t counted = 0;              ///< the budget knows of everything below
    size_t skipped = 0;                 ///< bytes, by begin_new_pages(), of which
    std::atomic<uintptr_t> new_from{0}; ///< this was the last one's; 0: there was none. Written with the lock
    std::vector<Room> free;             ///< of blocks from `new_from` on,
    std::vector<Room> old;              ///< and of those before, which are to stay free
  };

  /// What begin_new_pages() may cost of a size of which so many bytes are in use or free.
  static constexpr size_t may_stay_unused(size_t bytes) { return bytes / 8 + 2 * page_bytes; }
  /// `coloured_bytes`: of a block that is to have a colour; 0: it is not.
  void* allocate_small(unsigned size_class, size_t coloured_bytes);
  bool take_room(SmallClass& small, size_t bytes, size_t* room);
  bool use_until(SmallClass& small, uintptr_t next);
  static void put_room(SmallClass& small, uintptr_t address, size_t room);
  void* allocate_large(size_t bytes, size_t alignment, bool* zeroed);
  uintptr_t take_extent(size_t bytes, size_t alignment, bool* zeroed, Purpose purpose);
  void* allocate_grown(size_t bytes);
  bool take_behind(uintptr_t end, size_t bytes);
  bool give_back(Segment range);
  void release_large(Segment range, size_t most_bytes_kept);
  void release_mapping(Segment range);
  bool count(size_t bytes) { return !budget_ || budget_->take(bytes); }
  void discount(size_t bytes) {
    if (budget_)
      budget_->give_back(bytes);
  }
  bool free_block(void* block, bool may_wait);
  bool free_small(uintptr_t address, bool may_wait);

  SmallClass small_[SizeClasses::count];
  std::atomic<uint32_t> generation_{0}; ///< from the first one on threads have pages of their own
  std::mutex large_lock_;               ///< guards what follows
  size_t large_coloured_ = 0;           ///< large blocks so far that have a colour
  /// First page never handed out. Written with the lock, or before the node's threads are made; relaxed for
  /// used_until(), which reads it without.
  std::atomic<uintptr_t> large_next_{0};
  uintptr_t large_end_ = 0;
  FreeExtents free_extents_;
  std::map<uintptr_t, std::pair<uintptr_t, size_t>> large_blocks_; ///< block -> first page and bytes of its extent
  std::map<uintptr_t, size_t> reserved_; ///< mappings that do not count as memory: begin -> bytes
  MayDiscard may_discard_ = nullptr;
  MemoryBudget* budget_ = nullptr;
};

} // namespace hetmp::dsm
