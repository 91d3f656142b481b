#include "dsm/space/block_cache.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void* BlockCache::take_of_heap(unsigned size_class) {
  if (const uint32_t now = heap_.generation(); generation_ != now) {
    give_all_back();
    generation_ = now;
  }
  Bin& bin = bins_[size_class];
  if (bin.count == 0 && bin.own.empty())
    bin.own = heap_.take_run(size_class);
  if (bin.count == 0)
    bin.count = bin.own.empty() ? heap_.take_small(size_class, bin.blocks, half)
                                : take_of_run(bin.own, SizeClasses::bytes_of(size_class), bin.blocks);
  return bin.count == 0 ? nullptr : bin.blocks[--bin.count];
}

/// The lowest last, as Heap::take_small(); at most `half`.
uint32_t BlockCache::take_of_run(Heap::Run& run, size_t bytes, void** blocks) {
  HETMP_CHECK(run.next <= run.end && (run.end - run.next) % bytes == 0);
  uint32_t taken = 0;
  for (; taken < half && !run.empty(); ++taken, run.next += bytes)
    blocks[taken] = reinterpret_cast<void*>(run.next);
  std::reverse(blocks, blocks + taken);
  return taken;
}

/// Those that have been there longest.
void BlockCache::give_half_back(unsigned size_class) {
  Bin& bin = bins_[size_class];
  HETMP_CHECK(bin.count == most);
  heap_.put_small(size_class, bin.blocks, half);
  std::copy(bin.blocks + half, bin.blocks + most, bin.blocks);
  bin.count = half;
}

void BlockCache::give_all_back() {
  for (unsigned size_class = 0; size_class < classes; ++size_class) {
    Bin& bin = bins_[size_class];
    do {
      heap_.put_small(size_class, bin.blocks, bin.count);
      bin.count = take_of_run(bin.own, SizeClasses::bytes_of(size_class), bin.blocks);
    } while (bin.count != 0);
  }
}

} // namespace hetmp::dsm
