#include "dsm/space/heap.hpp"

#include "base/check.hpp"
#include "dsm/space/core_dump.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// First word of the page before the one that a large block begins in.
struct LargeHeader {
  size_t usable;
};

LargeHeader* header_of(const void* block) {
  return reinterpret_cast<LargeHeader*>(page_down(reinterpret_cast<uintptr_t>(block)) - page_bytes);
}

/// What is unmapped and smaller keeps its memory: each of its pages would be a fault when it is used again.
constexpr size_t most_kept_unmapped = (size_t(1) << 20) - page_bytes;
/// So does what is freed, as the C library keeps it, since programs free large temporary arrays and allocate them again
/// at once: blocks of up to this size,
constexpr size_t most_kept_freed = (size_t(32) << 20) + 2 * page_bytes;
constexpr size_t most_kept = size_t(128) << 20; ///< and so much in all: what was freed first goes first

bool is_small(uintptr_t address) { return (address - slices_begin) % slice_bytes < small_part_bytes; }

} // namespace

// In the order in which the heap itself takes them: a small part's, then that of large blocks.
Heap::Quiet::Quiet(Heap& heap) : heap_(heap) {
  for (auto& small : heap_.small_)
    small.lock.lock();
  heap_.large_lock_.lock();
}

Heap::Quiet::~Quiet() {
  heap_.large_lock_.unlock();
  for (auto& small : heap_.small_)
    small.lock.unlock();
}

void Heap::become(uint32_t node, MayDiscard may_discard) {
  HETMP_CHECK(node < most_nodes);
  may_discard_ = may_discard;
  // What is free or in use so far is the origin's, in the origin's slice: a forked node inherits the lists with it.
  free_extents_.clear();
  large_blocks_.clear();
  reserved_.clear();
  const Segment small = AddressPlan::small_part(node);
  for (unsigned i = 0; i < SizeClasses::count; ++i) {
    const uintptr_t begin = small.begin + i * SizeClasses::part_bytes;
    small_[i].next.store(begin, std::memory_order_relaxed);
    small_[i].end = begin + SizeClasses::part_bytes;
    small_[i].counted = begin;
    small_[i].skipped = 0;
    small_[i].new_from.store(0, std::memory_order_relaxed);
    small_[i].old.clear();
    small_[i].free.clear();
  }
  const Segment large = AddressPlan::large_part(node);
  large_next_.store(large.begin, std::memory_order_relaxed);
  large_end_ = large.end;
}

void* Heap::allocate(size_t bytes, size_t alignment) {
  if (alignment <= page_bytes && std::max(bytes, alignment) <= SizeClasses::largest) {
    // Powers of two are classes, and each class begins at a multiple of them: such blocks are naturally aligned.
    const bool has_colour = Colours::use(bytes, alignment);
    const size_t wanted = has_colour        ? bytes + Colours::room(bytes)
                          : alignment <= 16 ? bytes
                                            : std::bit_ceil(std::max(bytes, alignment));
    if (wanted <= SizeClasses::largest)
      if (void* block = allocate_small(SizeClasses::class_of(wanted), has_colour ? bytes : 0))
        return block;
  }
  bool zeroed;
  return allocate_large(bytes, alignment, &zeroed);
}

void* Heap::allocate_zeroed(size_t bytes) {
  if (bytes <= SizeClasses::largest) {
    void* block = allocate(bytes);
    return block ? memset(block, 0, bytes) : nullptr;
  }
  bool zeroed = false;
  void* block = allocate_large(bytes, 16, &zeroed);
  if (block && !zeroed)
    memset(block, 0, bytes);
  return block;
}

uintptr_t Heap::take_extent(size_t bytes, size_t alignment, bool* zeroed, Purpose purpose) {
  // Best fit among the freed ones; those keep page alignment, so a stricter one asks for more and gives the rest back.
  HETMP_CHECK(std::has_single_bit(alignment) && bytes == page_up(bytes));
  const size_t slack = alignment > page_bytes ? alignment - page_bytes : 0;
  FreeExtents::Extent have;
  if (const auto freed = free_extents_.take(bytes + slack)) {
    have = *freed;
  } else {
    const uintptr_t next = large_next_.load(std::memory_order_relaxed); // of the lock's holder
    if (large_end_ - next < bytes + slack)
      return 0;
    have = {next, bytes + slack};
    large_next_.store(have.range().end, std::memory_order_relaxed);
    if (purpose == Purpose::Use)
      include_in_dumps(have.range());
  }
  *zeroed = have.written == 0;
  // The block behind the header page is what must be aligned.
  const uintptr_t aligned = ((have.begin + page_bytes + alignment - 1) & ~(alignment - 1)) - page_bytes;
  HETMP_CHECK(aligned >= have.begin && aligned + bytes <= have.range().end);
  if (aligned != have.begin)
    free_extents_.put(have.part(have.begin, aligned - have.begin));
  if (aligned + bytes != have.range().end)
    free_extents_.put(have.part(aligned + bytes, have.range().end - aligned - bytes));
  HETMP_CHECK_COSTLY(free_extents_.valid(large_next_.load(std::memory_order_relaxed)));
  return aligned;
}

void* Heap::allocate_large(size_t bytes, size_t alignment, bool* zeroed) {
  if (bytes > large_part_bytes)
    return nullptr;
  const bool has_colour = Colours::use(bytes, alignment);
  const size_t extent = page_bytes + page_up(std::max<size_t>(bytes, 1) + (has_colour ? Colours::room(bytes) : 0));
  if (!count(extent))
    return nullptr;
  uintptr_t begin;
  size_t offset = page_bytes;
  {
    std::lock_guard guard(large_lock_);
    begin = take_extent(extent, std::max(alignment, page_bytes), zeroed, Purpose::Use);
    if (has_colour)
      offset += Colours::offset(large_coloured_++, extent - page_bytes - bytes);
    HETMP_CHECK(!begin || !large_blocks_.contains(begin + offset));
    if (begin)
      large_blocks_[begin + offset] = {begin, extent};
  }
  if (!begin) {
    discount(extent);
    return nullptr;
  }
  // The header is shared memory: written without the lock, because it may fault.
  reinterpret_cast<LargeHeader*>(begin)->usable = extent - offset;
  return reinterpret_cast<void*>(begin + offset);
}

/// With large_lock_ held: so many bytes behind an extent, whose end is there.
bool Heap::take_behind(uintptr_t end, size_t bytes) {
  const uintptr_t next = large_next_.load(std::memory_order_relaxed); // of the lock's holder
  if (end != next)
    return free_extents_.take_at(end, bytes);
  if (large_end_ - next < bytes)
    return false;
  large_next_.store(next + bytes, std::memory_order_relaxed);
  include_in_dumps({next, next + bytes});
  return true;
}

bool Heap::grow_in_place(void* block, size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  if (is_small(address) || bytes > large_part_bytes)
    return false;
  const uintptr_t end = address + usable_bytes(block);
  HETMP_CHECK(end == page_down(end));
  if (address + bytes <= end)
    return true;
  const size_t more = page_up(address + bytes) - end;
  if (!count(more))
    return false;
  {
    std::lock_guard guard(large_lock_);
    const auto found = large_blocks_.find(address);
    const bool is_known = found != large_blocks_.end() && found->second.first + found->second.second == end;
    if (!is_known || !take_behind(end, more)) {
      discount(more);
      return false;
    }
    found->second.second += more;
    HETMP_CHECK_COSTLY(free_extents_.valid(large_next_.load(std::memory_order_relaxed)));
  }
  header_of(block)->usable = end + more - address; // without the lock: shared memory, it may fault
  return true;
}

void* Heap::allocate_grown(size_t bytes) {
  constexpr size_t most_room = size_t(64) << 20; // what nobody asked for
  const size_t room = bytes <= SizeClasses::largest ? 0 : std::min(bytes / 4, most_room);
  const bool has_room = bytes < large_part_bytes && (!budget_ || budget_->has(bytes + room));
  void* const grown = has_room ? allocate(bytes + room) : nullptr;
  return grown ? grown : allocate(bytes); // at the end of the slice, room may be what does not fit
}

void* Heap::resize(void* block, size_t bytes) {
  if (bytes <= usable_bytes(block))
    return allocate(bytes);
  return grow_in_place(block, bytes) ? block : allocate_grown(bytes);
}

/// False: its pages keep their content, since other nodes know of them.
bool Heap::give_back(Segment range) {
  if (!may_discard_ || !may_discard_(range))
    return false;
  // The system call itself: this library interposes the name, for the program.
  syscall(SYS_madvise, range.begin, range.bytes(), MADV_DONTNEED);
  return true;
}

void Heap::release_large(Segment range, size_t most_bytes_kept) {
  const size_t bytes = range.bytes();
  if (bytes > most_bytes_kept)
    return free_extents_.put({range.begin, bytes, give_back(range) ? 0 : bytes});
  while (free_extents_.kept() != 0 && free_extents_.kept() + bytes > most_kept) {
    const Segment oldest = free_extents_.next_to_give_back();
    if (give_back(oldest))
      free_extents_.was_given_back(oldest);
  }
  free_extents_.put({range.begin, bytes, bytes, bytes});
  HETMP_CHECK_COSTLY(free_extents_.valid(large_next_.load(std::memory_order_relaxed)));
}

bool Heap::free_block(void* block, bool may_wait) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  if (is_small(address))
    return free_small(address, may_wait);
  std::unique_lock guard(large_lock_, std::defer_lock);
  if (may_wait)
    guard.lock();
  else if (!guard.try_lock())
    return false;
  if (const auto found = large_blocks_.find(address); found != large_blocks_.end()) {
    const auto [begin, bytes] = found->second;
    HETMP_CHECK(begin + page_bytes == page_down(address) && bytes > page_bytes);
    large_blocks_.erase(found);
    release_large({begin, begin + bytes}, most_kept_freed);
    discount(bytes);
  }
  return true;
}

void Heap::free(void* block) { free_block(block, true); }
bool Heap::try_free(void* block) { return free_block(block, false); }

void* Heap::map(size_t bytes, Purpose purpose) {
  if (bytes > large_part_bytes)
    return nullptr;
  bytes = page_up(bytes);
  const bool counts = purpose == Purpose::Use;
  if (counts && !count(bytes))
    return nullptr;
  bool zeroed = false;
  uintptr_t begin;
  {
    std::lock_guard guard(large_lock_);
    begin = take_extent(bytes, page_bytes, &zeroed, purpose);
    if (begin && !counts)
      reserved_[begin] = bytes;
  }
  if (!begin) {
    if (counts)
      discount(bytes);
    return nullptr;
  }
  void* memory = reinterpret_cast<void*>(begin);
  if (!zeroed)
    memset(memory, 0, bytes);
  return memory;
}

/// With large_lock_ held.
void Heap::release_mapping(Segment range) {
  size_t counted = range.bytes();
  auto it = reserved_.upper_bound(range.begin);
  if (it != reserved_.begin())
    --it;
  while (it != reserved_.end() && it->first < range.end) {
    const Segment reserved{it->first, it->first + it->second};
    if (reserved.end <= range.begin) {
      ++it;
      continue;
    }
    counted -= std::min(reserved.end, range.end) - std::max(reserved.begin, range.begin);
    it = reserved_.erase(it);
    if (reserved.begin < range.begin)
      reserved_[reserved.begin] = range.begin - reserved.begin;
    if (reserved.end > range.end)
      reserved_[range.end] = reserved.end - range.end;
  }
  HETMP_CHECK(counted <= range.bytes());
  release_large(range, most_kept_unmapped);
  discount(counted);
}

void Heap::unmap(void* begin, size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  std::lock_guard guard(large_lock_);
  release_mapping({address, address + page_up(bytes)});
}

bool Heap::try_unmap(Segment range) {
  std::unique_lock guard(large_lock_, std::try_to_lock);
  if (guard.owns_lock())
    release_mapping(range);
  return guard.owns_lock();
}

size_t Heap::usable_bytes(const void* block) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  if (!is_small(address))
    return header_of(block)->usable;
  const size_t bytes = SizeClasses::bytes_of(SizeClasses::class_at(address));
  return bytes - (address - slices_begin) % SizeClasses::part_bytes % bytes;
}

} // namespace hetmp::dsm
