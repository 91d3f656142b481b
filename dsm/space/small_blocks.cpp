// Heap's small blocks: a list of free ones for each size class, and what has never been handed out.
#include "base/check.hpp"
#include "dsm/space/core_dump.hpp"
#include "dsm/space/heap.hpp"

#include <algorithm>
#include <mutex>

namespace hetmp::dsm {

/// With the lock: where a block's room begins, behind the begin of the part. False: there is none.
bool Heap::take_room(SmallClass& small, size_t bytes, size_t* room) {
  const uintptr_t begin = small.end - SizeClasses::part_bytes;
  const uintptr_t next = small.next.load(std::memory_order_relaxed); // of the lock's holder
  const bool is_full = next + bytes > small.end || small.old.size() * bytes > may_stay_unused(next - begin);
  std::vector<Room>& free = small.free.empty() && is_full ? small.old : small.free;
  if (!free.empty()) {
    *room = free.back() * room_unit;
    HETMP_CHECK(begin + *room + bytes <= next);
    free.pop_back();
    return true;
  }
  HETMP_CHECK(next >= begin && next <= small.end);
  *room = next - begin;
  return use_until(small, next + bytes);
}

/// With the lock: what lies below is handed out. False: there is none, or no memory for it.
bool Heap::use_until(SmallClass& small, uintptr_t next) {
  if (next > small.end)
    return false;
  if (next > small.counted) { // in steps: the counter belongs to all nodes of the machine
    constexpr size_t step = size_t(256) << 10;
    if (!count(step))
      return false;
    const uintptr_t before = small.next.load(std::memory_order_relaxed); // of the lock's holder
    small.counted += step;
    include_in_dumps({before, small.counted});
  }
  small.next.store(next, std::memory_order_relaxed);
  HETMP_CHECK(next <= small.counted);
  return true;
}

void* Heap::allocate_small(unsigned size_class, size_t coloured_bytes) {
  SmallClass& small = small_[size_class];
  const size_t bytes = SizeClasses::bytes_of(size_class);
  size_t room;
  {
    std::lock_guard guard(small.lock);
    if (!take_room(small, bytes, &room))
      return nullptr;
  }
  const size_t offset = coloured_bytes == 0 ? 0 : Colours::offset(room / bytes, bytes - coloured_bytes);
  const uintptr_t address = small.end - SizeClasses::part_bytes + room + offset;
  HETMP_CHECK(SizeClasses::class_at(address) == size_class);
  return reinterpret_cast<void*>(address);
}

Heap::Run Heap::take_run(unsigned size_class) {
  if (generation() == 0)
    return {};
  SmallClass& small = small_[size_class];
  const size_t bytes = SizeClasses::bytes_of(size_class);
  HETMP_CHECK(2 * bytes <= page_bytes);
  std::lock_guard guard(small.lock);
  const uintptr_t begin = small.end - SizeClasses::part_bytes;
  const size_t used = small.next.load(std::memory_order_relaxed) - begin; // of the lock's holder
  const size_t first = (page_up(used) + bytes - 1) / bytes * bytes;
  const size_t pages = bytes <= page_bytes / 16 ? page_bytes : 4 * page_bytes; // what is left over is a small part
  const size_t behind = first + (page_down(first + pages) - first) / bytes * bytes;
  if (!small.free.empty() || small.skipped + first - used > may_stay_unused(used) || !use_until(small, begin + behind))
    return {};
  small.skipped += first - used;
  HETMP_CHECK(behind > first && (behind - first) % bytes == 0);
  return {begin + first, begin + behind};
}

uint32_t Heap::take_small(unsigned size_class, void** blocks, uint32_t most) {
  SmallClass& small = small_[size_class];
  const size_t bytes = SizeClasses::bytes_of(size_class);
  uint32_t taken = 0;
  {
    std::lock_guard guard(small.lock);
    const bool may_begin_page = generation() == 0 || small.free.empty(); // else a page of its own is next
    for (size_t room; taken < most && (may_begin_page || !small.free.empty()) && take_room(small, bytes, &room);
         ++taken)
      blocks[taken] = reinterpret_cast<void*>(small.end - SizeClasses::part_bytes + room);
  }
  std::reverse(blocks, blocks + taken);
  return taken;
}

void Heap::put_small(unsigned size_class, void* const* blocks, uint32_t count) {
  SmallClass& small = small_[size_class];
  std::lock_guard guard(small.lock);
  for (uint32_t i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uintptr_t>(blocks[i]);
    put_room(small, address, address - (small.end - SizeClasses::part_bytes));
  }
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
    small.new_from.store(begin + first, std::memory_order_relaxed); // relaxed: see is_old()
    small.next.store(begin + first, std::memory_order_relaxed);
    small.old.insert(small.old.end(), small.free.begin(), small.free.end());
    small.free.clear();
  }
  generation_.fetch_add(1, std::memory_order_relaxed); // relaxed: see generation()
}

bool Heap::free_small(uintptr_t address, bool may_wait) {
  const unsigned size_class = SizeClasses::class_at(address);
  const size_t bytes = SizeClasses::bytes_of(size_class);
  SmallClass& small = small_[size_class];
  size_t room = (address - slices_begin) % SizeClasses::part_bytes; // slices are multiples of that
  if (bytes >= Colours::least)                                      // others begin with their room
    room -= room % bytes;
  HETMP_CHECK(room % bytes == 0);
  if (may_wait)
    small.lock.lock();
  else if (!small.lock.try_lock())
    return false;
  put_room(small, address, room);
  small.lock.unlock();
  return true;
}

/// With the lock.
void Heap::put_room(SmallClass& small, uintptr_t address, size_t room) {
  // relaxed, both: of the lock's holder
  HETMP_CHECK(small.end - SizeClasses::part_bytes + room < small.next.load(std::memory_order_relaxed));
  const bool is_old = address < small.new_from.load(std::memory_order_relaxed);
  (is_old ? small.old : small.free).push_back(Room(room / room_unit));
}

} // namespace hetmp::dsm
