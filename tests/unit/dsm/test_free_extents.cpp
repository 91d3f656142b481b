#include "dsm/space/free_extents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace hetmp::dsm {
namespace {

constexpr uintptr_t area = 0x100000;
constexpr Segment pages(size_t first, size_t count) {
  return {area + first * page_bytes, area + (first + count) * page_bytes};
}
FreeExtents::Extent kept(Segment range) { return {range.begin, range.bytes(), range.bytes(), range.bytes()}; }
FreeExtents::Extent never_used(Segment range) { return {range.begin, range.bytes()}; }

TEST(FreeExtents, TheSmallestThatFitsIsTaken) {
  FreeExtents free;
  free.put(never_used(pages(0, 8)));
  free.put(kept(pages(10, 3)));
  free.put(kept(pages(20, 5)));
  EXPECT_EQ(free.kept(), 8 * page_bytes);
  const auto taken = free.take(4 * page_bytes);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->begin, pages(20, 5).begin);
  EXPECT_EQ(taken->written, 5 * page_bytes);
  EXPECT_EQ(free.kept(), 3 * page_bytes);
  EXPECT_FALSE(free.take(9 * page_bytes));
}

TEST(FreeExtents, NeighboursMergeWithWhatTheyKeep) {
  FreeExtents free;
  free.put(kept(pages(0, 2)));
  free.put(kept(pages(5, 2)));
  free.put(never_used(pages(2, 3)));
  const auto all = free.take(7 * page_bytes);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->range().end, pages(5, 2).end);
  EXPECT_EQ(all->written, 4 * page_bytes);
  EXPECT_EQ(all->kept, 4 * page_bytes);
  EXPECT_EQ(all->part(all->begin, 3 * page_bytes).written, 3 * page_bytes) << "nobody knows where they are";
}

TEST(FreeExtents, WhatWasFreedFirstIsGivenBackFirst) {
  FreeExtents free;
  free.put(kept(pages(10, 2)));
  free.put(kept(pages(0, 3)));
  EXPECT_EQ(free.next_to_give_back().begin, pages(10, 2).begin);
  EXPECT_EQ(free.kept(), 3 * page_bytes) << "also if it could not be given back";
  free.was_given_back(pages(10, 2));
  EXPECT_EQ(free.take(2 * page_bytes)->written, 0u);
  EXPECT_EQ(free.next_to_give_back().begin, pages(0, 3).begin);
  EXPECT_EQ(free.kept(), 0u);
  EXPECT_EQ(free.take(3 * page_bytes)->written, 3 * page_bytes);
}

/// Against a map of pages: free or not, written or not.
TEST(FreeExtents, RandomOnesStayWhole) {
  constexpr size_t most_pages = 64;
  for (uint32_t seed = 0; seed < 50; seed++) {
    std::mt19937 random(seed);
    FreeExtents free;
    free.put(never_used(pages(0, most_pages)));
    std::map<size_t, size_t> used; // first page, and how many
    bool written[most_pages] = {};
    for (int step = 0; step < 300; step++) {
      if (!used.empty() && random() % 2 == 0) {
        const auto some = std::next(used.begin(), long(random() % used.size()));
        free.put(kept(pages(some->first, some->second)));
        std::fill_n(written + some->first, some->second, true);
        used.erase(some);
      } else if (free.kept() != 0 && random() % 4 == 0) {
        const Segment range = free.next_to_give_back();
        free.was_given_back(range);
        std::fill_n(written + (range.begin - area) / page_bytes, range.bytes() / page_bytes, false);
      } else if (const size_t wanted = 1 + random() % 9; const auto taken = free.take(wanted * page_bytes)) {
        const size_t first = (taken->begin - area) / page_bytes, have = taken->bytes / page_bytes;
        ASSERT_GE(have, wanted);
        ASSERT_GE(taken->written / page_bytes, size_t(std::count(written + first, written + first + have, true)));
        if (have != wanted)
          free.put(taken->part(pages(first + wanted, 1).begin, (have - wanted) * page_bytes));
        const auto next = used.lower_bound(first);
        ASSERT_TRUE(next == used.end() || next->first >= first + have);
        ASSERT_TRUE(next == used.begin() || std::prev(next)->first + std::prev(next)->second <= first);
        used[first] = wanted;
      }
      ASSERT_TRUE(free.valid(pages(0, most_pages).end)) << "seed " << seed << ", step " << step;
    }
  }
}

} // namespace
} // namespace hetmp::dsm
