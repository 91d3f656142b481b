#include "schedulers/arithmetic/iteration_set.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace hetmp::schedulers {

IterationSet::IterationSet(Range range) { put(range); }

IterationSet IterationSet::take_front(uint64_t count) {
  IterationSet taken;
  size_t whole = 0; // ranges that go entirely
  while (whole < ranges_.size() && ranges_[whole].size() <= count - taken.size_)
    taken.put(ranges_[whole++]);
  const uint64_t part = count - taken.size_;
  if (whole < ranges_.size() && part > 0) {
    Range& cut = ranges_[whole];
    taken.put({cut.begin, cut.begin + part});
    cut.begin += part;
  }
  ranges_.erase(ranges_.begin(), ranges_.begin() + static_cast<ptrdiff_t>(whole));
  HETMP_CHECK(taken.size_ <= count && taken.size_ <= size_);
  size_ -= taken.size_;
  return taken;
}

IterationSet IterationSet::take_back(uint64_t count) {
  IterationSet front = take_front(size_ - std::min(count, size_));
  std::swap(*this, front);
  return front;
}

IterationSet IterationSet::take(Range range) {
  IterationSet taken;
  IterationSet left;
  for (const Range& mine : ranges_) {
    const Range common{std::max(mine.begin, range.begin), std::min(mine.end, range.end)};
    if (common.empty()) {
      left.put(mine);
      continue;
    }
    left.put({mine.begin, common.begin});
    taken.put(common);
    left.put({common.end, mine.end});
  }
  std::swap(*this, left);
  return taken;
}

void IterationSet::put(Range range) {
  if (range.empty())
    return;
  size_ += range.size();
  const auto after = std::lower_bound(ranges_.begin(), ranges_.end(), range,
                                      [](const Range& a, const Range& b) { return a.begin < b.begin; });
  HETMP_CHECK(after == ranges_.end() || range.end <= after->begin);
  HETMP_CHECK(after == ranges_.begin() || std::prev(after)->end <= range.begin);
  const bool joins_after = after != ranges_.end() && after->begin == range.end;
  if (after != ranges_.begin() && std::prev(after)->end == range.begin) {
    const auto before = std::prev(after);
    before->end = joins_after ? after->end : range.end;
    if (joins_after)
      ranges_.erase(after);
  } else if (joins_after) {
    after->begin = range.begin;
  } else {
    ranges_.insert(after, range);
  }
}

void IterationSet::put(const IterationSet& other) {
  for (const Range& range : other.ranges_)
    put(range);
}

} // namespace hetmp::schedulers
