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

/// What is unmapped and smaller keeps its memory: each of its pages would be a fault when it is used again.
constexpr size_t least_discarded = size_t(1) << 20;
/// So does what is freed, as the C library keeps it, since programs free large temporary arrays and allocate them again
/// at once: blocks below this one's size,
constexpr size_t least_freed_discarded = (size_t(32) << 20) + 2 * page_bytes;
constexpr size_t most_free_written = size_t(128) << 20; ///< as long as no more memory than that is free and kept

bool is_small(uintptr_t address) { return (address - slices_begin) % slice_bytes < small_part_bytes; }

unsigned class_at(uintptr_t address) {
  return unsigned((address - slices_begin) % slice_bytes / SizeClasses::part_bytes);
}

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
  free_by_size_.clear();
  free_written_ = 0;
  large_blocks_.clear();
  reserved_.clear();
  const Segment small = AddressPlan::small_part(node);
  for (unsigned i = 0; i < SizeClasses::count; ++i) {
    const uintptr_t begin = small.begin + i * SizeClasses::part_bytes;
    small_[i].next.store(begin, std::memory_order_relaxed);
    small_[i].end = begin + SizeClasses::part_bytes;
    small_[i].counted = begin;
    small_[i].skipped = 0;
    small_[i].new_from = 0;
    small_[i].old.clear();
    small_[i].free.clear();
  }
  const Segment large = AddressPlan::large_part(node);
  large_next_.store(large.begin, std::memory_order_relaxed);
  large_end_ = large.end;
}

void* Heap::allocate_small(unsigned size_class, size_t coloured_bytes) {
  SmallClass& small = small_[size_class];
  const size_t bytes = SizeClasses::bytes_of(size_class);
  std::lock_guard guard(small.lock);
  const uintptr_t begin = small.end - SizeClasses::part_bytes;
  const auto block_at = [&](size_t index) {
    const size_t offset = coloured_bytes == 0 ? 0 : Colours::offset(index, bytes - coloured_bytes);
    return reinterpret_cast<void*>(begin + index * bytes + offset);
  };
  const uintptr_t next = small.next.load(std::memory_order_relaxed); // of the lock's holder
  const bool is_full = next + bytes > small.end || small.old.size() * bytes > may_stay_unused(next - begin);
  std::vector<uint32_t>& free = small.free.empty() && is_full ? small.old : small.free;
  if (!free.empty()) {
    const uint32_t index = free.back();
    HETMP_CHECK(begin + (index + 1) * bytes <= next);
    free.pop_back();
    return block_at(index);
  }
  HETMP_CHECK(next >= begin && next <= small.end);
  if (next + bytes > small.end)
    return nullptr;
  if (next + bytes > small.counted) { // in steps: the counter belongs to all nodes of the machine
    constexpr size_t step = size_t(256) << 10;
    if (!count(step))
      return nullptr;
    small.counted += step;
    include_in_dumps({next, small.counted});
  }
  small.next.store(next + bytes, std::memory_order_relaxed);
  HETMP_CHECK(class_at(next) == size_class && next + bytes <= small.counted);
  return block_at((next - begin) / bytes);
}

void Heap::begin_new_pages() {
  for (unsigned size_class = 0; size_class < SizeClasses::count; ++size_class) {
    SmallClass& small = small_[size_class];
    const size_t bytes = SizeClasses::bytes_of(size_class);
    const uintptr_t begin = small.end - SizeClasses::part_bytes;
    std::lock_guard guard(small.lock);
    const size_t used = small.next.load(std::memory_order_relaxed) - begin; // of the lock's holder
    const size_t first = (page_up(used) + bytes - 1) / bytes * bytes;       // of the blocks that begin there or behind
    if (begin + first > small.end || small.skipped + first - used > may_stay_unused(used))
      continue;
    small.skipped += first - used;
    small.new_from = begin + first;
    small.next.store(begin + first, std::memory_order_relaxed);
    small.old.insert(small.old.end(), small.free.begin(), small.free.end());
    small.free.clear();
  }
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
  uintptr_t begin;
  size_t have, written;
  const auto fit = free_by_size_.lower_bound({bytes + slack, 0});
  if (fit != free_by_size_.end()) {
    begin = fit->second;
    have = fit->first;
    HETMP_CHECK(have >= bytes + slack && free_extents_.at(begin).bytes == have);
    written = free_extents_.at(begin).written;
    HETMP_CHECK(written <= have && written <= free_written_);
    free_written_ -= written;
    free_extents_.erase(begin);
    free_by_size_.erase(fit);
  } else {
    begin = large_next_.load(std::memory_order_relaxed); // of the lock's holder
    if (large_end_ - begin < bytes + slack)
      return 0;
    have = bytes + slack;
    large_next_.store(begin + have, std::memory_order_relaxed);
    if (purpose == Purpose::Use)
      include_in_dumps({begin, begin + have});
    written = 0;
  }
  *zeroed = written == 0;
  // The block behind the header page is what must be aligned.
  const uintptr_t aligned = ((begin + page_bytes + alignment - 1) & ~(alignment - 1)) - page_bytes;
  HETMP_CHECK(aligned >= begin && aligned + bytes <= begin + have);
  if (aligned > begin)
    put_extent(begin, aligned - begin, std::min(written, aligned - begin));
  if (const size_t rest = begin + have - aligned - bytes; rest != 0)
    put_extent(aligned + bytes, rest, std::min(written, rest));
  return aligned;
}

void Heap::put_extent(uintptr_t begin, size_t bytes, size_t written) {
  free_written_ += written;
  auto merge = [&](std::map<uintptr_t, Extent>::iterator neighbour) {
    written += neighbour->second.written;
    bytes += neighbour->second.bytes;
    begin = std::min(begin, neighbour->first);
    free_by_size_.erase({neighbour->second.bytes, neighbour->first});
    free_extents_.erase(neighbour);
  };
  if (auto next = free_extents_.find(begin + bytes); next != free_extents_.end())
    merge(next);
  if (auto previous = free_extents_.lower_bound(begin); previous != free_extents_.begin()) {
    --previous;
    if (previous->first + previous->second.bytes == begin)
      merge(previous);
  }
  free_extents_[begin] = {bytes, written};
  free_by_size_.insert({bytes, begin});
  HETMP_CHECK_COSTLY(valid());
}

/// With large_lock_ held. The extents lie apart, no two touch, all within what was handed out; both indices have the
/// same.
bool Heap::valid() const {
  uintptr_t before = 0;
  size_t written = 0;
  for (const auto& [begin, extent] : free_extents_) {
    if (begin <= before || begin != page_down(begin) || !free_by_size_.count({extent.bytes, begin}) ||
        extent.written > extent.bytes)
      return false;
    before = begin + extent.bytes;
    written += extent.written;
  }
  return written == free_written_ && free_by_size_.size() == free_extents_.size() &&
         before <= large_next_.load(std::memory_order_relaxed);
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

void Heap::release_large(uintptr_t begin, size_t bytes, bool is_mapping) {
  const bool is_kept = is_mapping ? bytes < least_discarded
                                  : bytes < least_freed_discarded &&
                                        (bytes < least_discarded || free_written_ + bytes <= most_free_written);
  const bool discard = !is_kept && may_discard_ && may_discard_({begin, begin + bytes});
  if (discard) // the system call itself: this library interposes the name, for the program
    syscall(SYS_madvise, begin, bytes, MADV_DONTNEED);
  put_extent(begin, bytes, discard ? 0 : bytes);
}

bool Heap::free_block(void* block, bool may_wait) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  std::mutex& lock = is_small(address) ? small_[class_at(address)].lock : large_lock_;
  std::unique_lock guard(lock, std::defer_lock);
  if (may_wait)
    guard.lock();
  else if (!guard.try_lock())
    return false;
  if (is_small(address)) {
    SmallClass& small = small_[class_at(address)];
    const uintptr_t first = small.end - SizeClasses::part_bytes;
    const auto index = uint32_t((address - first) / SizeClasses::bytes_of(class_at(address)));
    (address < small.new_from ? small.old : small.free).push_back(index);
  } else if (const auto found = large_blocks_.find(address); found != large_blocks_.end()) {
    const auto [begin, bytes] = found->second;
    HETMP_CHECK(begin + page_bytes == page_down(address) && bytes > page_bytes);
    large_blocks_.erase(found);
    release_large(begin, bytes, false);
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
  release_large(range.begin, range.bytes(), true);
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
    return reinterpret_cast<const LargeHeader*>(page_down(address) - page_bytes)->usable;
  const size_t bytes = SizeClasses::bytes_of(class_at(address));
  const size_t in_part = (address - slices_begin) % slice_bytes % SizeClasses::part_bytes;
  return bytes - in_part % bytes;
}

} // namespace hetmp::dsm
