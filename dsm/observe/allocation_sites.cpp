#include "dsm/observe/allocation_sites.hpp"

#include <unwind.h>

namespace hetmp::dsm {
namespace {

struct Walk {
  uint64_t* callers;
  size_t skip;
  size_t count;
  uintptr_t text_begin, text_end;
};

_Unwind_Reason_Code see_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  if (walk.skip > 0) {
    --walk.skip;
    return _URC_NO_REASON;
  }
  const uint64_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == 6)
    return _URC_END_OF_STACK;
  walk.callers[walk.count++] = address;
  return address >= walk.text_begin && address < walk.text_end ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

__attribute__((noinline)) void collect_callers(uint64_t (&callers)[6], uintptr_t text_begin, uintptr_t text_end) {
  Walk walk{callers, 2, 0, text_begin, text_end}; // not this function, nor the one that asked
  _Unwind_Backtrace(see_frame, &walk);
}

bool AllocationSites::may_walk(int64_t now) {
  int64_t first = 0;
  // relaxed: whoever sets it, it is a moment of about the beginning
  if (first_walk_.compare_exchange_strong(first, now, std::memory_order_relaxed))
    first = now;
  const uint64_t allowed = walks_at_first + walks_per_ms * uint64_t(now > first ? (now - first) / 1'000'000 : 0);
  if (walks_.load(std::memory_order_relaxed) >= allowed)
    return false;
  walks_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void AllocationSites::record(uintptr_t block, size_t bytes, const uint64_t (&callers)[6]) {
  const uint64_t mixed = (block >> 6) * 0x9e3779b97f4a7c15u;
  Site* const first = &sites_[size_t(mixed >> 32) % sets * ways];
  // The same block again, or else whoever came first. relaxed: hints only, the exchange below finds out whether
  // the place is still what it was.
  Site* place = nullptr;
  uint64_t seen = busy;
  for (Site* site = first; site < first + ways; ++site) {
    const uint64_t turn = site->turn.load(std::memory_order_relaxed); // a hint
    if (turn == busy)
      continue;
    const bool same = turn != 0 && site->begin.load(std::memory_order_relaxed) == block; // a hint
    if (same || turn < seen) {
      place = site;
      seen = turn;
    }
    if (same)
      break;
  }
  // acquire: what is written now comes after what the last one wrote (release below)
  if (!place || !place->turn.compare_exchange_strong(seen, busy, std::memory_order_acquire, std::memory_order_relaxed))
    return;
  // release, paired with the acquires of find(): whoever reads one of these values finds the place busy afterwards.
  place->begin.store(block, std::memory_order_release);
  place->bytes.store(bytes, std::memory_order_release);
  for (size_t i = 0; i < 6; ++i)
    place->callers[i].store(callers[i], std::memory_order_release); // likewise released
  const uint64_t turn = turns_.fetch_add(1, std::memory_order_relaxed) + 1;
  place->turn.store(turn, std::memory_order_release); // pairs with the acquire in find(): the fields are there
}

std::optional<AllocationRecord> AllocationSites::find(uintptr_t address) const {
  std::optional<AllocationRecord> found;
  uint64_t latest = 0;
  for (const Site& site : sites_) {
    const uint64_t turn = site.turn.load(std::memory_order_acquire); // pairs with the release in record()
    if (turn == busy || turn <= latest)
      continue;
    AllocationRecord record;
    // acquire, paired with the releases in record(): if one of these values is newer than `turn`, that has changed.
    record.begin = site.begin.load(std::memory_order_acquire);
    record.bytes = site.bytes.load(std::memory_order_acquire);
    for (size_t i = 0; i < 6; ++i)
      record.callers[i] = site.callers[i].load(std::memory_order_acquire); // likewise acquired
    // relaxed: the acquires before keep it behind them.
    if (site.turn.load(std::memory_order_relaxed) != turn)
      continue;
    if (address - record.begin < record.bytes) {
      found = record;
      latest = turn;
    }
  }
  return found;
}

} // namespace hetmp::dsm
