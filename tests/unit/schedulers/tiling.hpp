// Checks that ranges cover a loop, each iteration exactly once.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace hetmp::schedulers {

/// Order does not matter, empty ranges are ignored. Works on the borders, so that loops may be of any size.
inline void expect_tiles(std::vector<Range> ranges, Range all) {
  std::erase_if(ranges, [](const Range& range) { return range.empty(); });
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  uint64_t next = all.begin;
  for (const Range& range : ranges) {
    ASSERT_EQ(range.begin, next) << "a hole or an overlap";
    next = range.end;
  }
  EXPECT_EQ(next, all.empty() ? all.begin : all.end);
}

} // namespace hetmp::schedulers
