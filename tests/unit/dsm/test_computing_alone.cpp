// What is fetched ahead for a node that executes the program alone, as where a region is lent to it.
#include "tests/unit/dsm/prefetching_fixture.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

constexpr PageNumber block_pages = DenseBlocks::block_pages;
constexpr PageNumber row = 6; ///< pages of a matrix's row

class ComputingAlone : public Prefetching {
 protected:
  /// Down a column, as far as pages are not there. Returns how many faults that took.
  uint32_t walk(PageNumber first, uint32_t rows) {
    uint32_t faults = 0;
    for (uint32_t i = 0; i < rows; ++i) {
      const PageNumber page = first + i * row;
      if (pages.here.count(page))
        continue;
      ++faults;
      fault(page);
      pages.come();
    }
    return faults;
  }
  bool all_to_be_written() const {
    return std::all_of(pages.asked.begin(), pages.asked.end(), [](const auto& asked) { return asked.second; });
  }
  const PageNumber matrix = (others / block_pages + 1) * block_pages;
};

TEST_F(ComputingAlone, WhatLiesBetweenTheRowsComesAsWell) {
  prefetcher.streams.compute_alone(true);
  constexpr uint32_t rows = 400;
  EXPECT_LT(walk(matrix, rows), 20u) << "some blocks at once, and ever more";
  const size_t asked = pages.asked.size();
  EXPECT_GT(asked, rows * row * 9 / 10);
  EXPECT_TRUE(all_to_be_written());
  EXPECT_LE(walk(matrix + 1, rows), 1u) << "the next column is there";
}

TEST_F(ComputingAlone, ElseOnlyTheRowsComeAndTheyAreRead) {
  walk(matrix, 100);
  for (const auto& [page, write] : pages.asked) {
    EXPECT_FALSE(write);
    EXPECT_EQ((page - matrix) % row, 0u);
  }
  prefetcher.streams.compute_alone(true);
  prefetcher.streams.compute_alone(false);
  pages.asked.clear();
  walk(matrix + 10'000 * row, 100);
  for (const auto& [page, write] : pages.asked)
    EXPECT_EQ((page - matrix) % row, 0u) << "and again when it is not alone any more";
}

TEST_F(ComputingAlone, PagesOneBehindTheOtherComeAsEver) {
  Prefetcher with_others{plan};
  Pages those;
  prefetcher.streams.compute_alone(true);
  for (PageNumber page = matrix; page < matrix + 200; ++page)
    for (const auto& [one, its] : {std::pair(&prefetcher, &pages), std::pair(&with_others, &those)}) {
      if (its->here.count(page))
        continue;
      one->streams.fetch(one->streams.faulted(page, Access::Read, 1, true, *its), page, *its, one->visits);
      its->here.insert(page);
      its->come();
    }
  EXPECT_EQ(pages.asked, those.asked);
}

} // namespace
} // namespace hetmp::dsm
