#include "dsm/space/block_cache.hpp"

#include <algorithm>

namespace hetmp::dsm {

void* BlockCache::take_of_heap(unsigned size_class) {
  if (const uint32_t now = heap_.generation(); generation_ != now) {
    give_all_back();
    generation_ = now;
  }
  Bin& bin = bins_[size_class];
  if (bin.count == 0)
    bin.count = heap_.take_small(size_class, bin.blocks, half);
  return bin.count == 0 ? nullptr : bin.blocks[--bin.count];
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
  for (unsigned size_class = 0; size_class < classes; ++size_class)
    if (Bin& bin = bins_[size_class]; bin.count != 0) {
      heap_.put_small(size_class, bin.blocks, bin.count);
      bin.count = 0;
    }
}

} // namespace hetmp::dsm
