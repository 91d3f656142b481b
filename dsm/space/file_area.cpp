#include "dsm/space/file_area.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

uintptr_t FileArea::take(uint32_t node, Sharing sharing, size_t bytes) {
  constexpr size_t half = node_bytes / 2;
  if (bytes > half)
    return 0;
  HETMP_CHECK(node < most_nodes);
  const uintptr_t first = begin + node * node_bytes + (sharing == Sharing::Shared ? half : 0);
  std::lock_guard guard(lock_);
  uintptr_t free = first; // the first gap that is large enough
  for (auto it = taken_.lower_bound(first); it != taken_.end() && it->first < first + half; ++it) {
    if (it->first - free >= bytes)
      break;
    free = it->first + it->second;
  }
  if (first + half - free < bytes)
    return 0;
  HETMP_CHECK(taken_.find(free) == taken_.end());
  HETMP_CHECK(free >= first && free + bytes <= first + half); // of this node and kind
  taken_[free] = bytes;
  HETMP_CHECK_COSTLY(valid());
  return free;
}

void FileArea::give_back(uintptr_t first, size_t bytes) {
  const uintptr_t last = first + bytes;
  std::lock_guard guard(lock_);
  auto it = taken_.upper_bound(first);
  if (it != taken_.begin())
    --it;
  while (it != taken_.end() && it->first < last) {
    const auto [from, size] = *it;
    const uintptr_t to = from + size;
    if (to <= first) {
      ++it;
      continue;
    }
    it = taken_.erase(it);
    if (from < first)
      taken_[from] = first - from;
    if (to > last)
      taken_[last] = to - last;
  }
  HETMP_CHECK_COSTLY(valid());
}

} // namespace hetmp::dsm
