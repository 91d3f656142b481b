// Copies that will be written where a thread writes here and there: how many upgrades tell, and what is learned of the
// witness.
#include "dsm/ahead/written_blocks.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr PageNumber pages = WrittenBlocks::block_pages;

/// How many upgrades in this block it takes until its copies are asked for.
uint32_t upgrades_until_asked(WrittenBlocks& blocks, PageNumber block, uint32_t most = pages) {
  for (uint32_t i = 1; i <= most; ++i)
    if (blocks.upgraded(block * pages + i * 7 % pages).count)
      return i;
  return 0;
}

TEST(WrittenBlocks, ABlockIsAskedForOnceManyOfItsPagesWereWritten) {
  WrittenBlocks blocks;
  PageSeries series;
  for (uint32_t i = 0; i < WrittenBlocks::first_enough; ++i) {
    EXPECT_EQ(series.count, 0u);
    series = blocks.upgraded(5 * pages + i * 3);
  }
  EXPECT_EQ(series.first, 5 * pages);
  EXPECT_EQ(series.count, pages);
  EXPECT_EQ(series.stride, 1);
  EXPECT_TRUE(series.write);
  EXPECT_TRUE(series.only_copies);
}

TEST(WrittenBlocks, BlocksAreCountedApart) {
  WrittenBlocks blocks;
  for (uint32_t i = 0; i < WrittenBlocks::first_enough - 1; ++i)
    for (PageNumber block : {2, 3, 900})
      EXPECT_EQ(blocks.upgraded(block * pages + i).count, 0u);
}

TEST(WrittenBlocks, WhatOthersReadMeanwhileIsCountedAnew) {
  WrittenBlocks blocks;
  for (int again = 0; again < 10; ++again) {
    EXPECT_EQ(upgrades_until_asked(blocks, 4, WrittenBlocks::first_enough - 1), 0u);
    blocks.shared(4 * pages + 63, 2); // of this block, and of the next
  }
  EXPECT_EQ(upgrades_until_asked(blocks, 4), WrittenBlocks::first_enough);
}

TEST(WrittenBlocks, WhatIsUsedComesEverSooner) {
  WrittenBlocks blocks;
  for (uint32_t enough = WrittenBlocks::first_enough; enough >= WrittenBlocks::least_enough; enough /= 2) {
    EXPECT_EQ(upgrades_until_asked(blocks, 4), enough);
    blocks.used(4 * pages + 40);
  }
  EXPECT_EQ(upgrades_until_asked(blocks, 4), WrittenBlocks::least_enough);
}

TEST(WrittenBlocks, WhatIsRegrettedHasToShowFourTimesAsMuch) {
  WrittenBlocks blocks;
  EXPECT_EQ(upgrades_until_asked(blocks, 4), WrittenBlocks::first_enough);
  blocks.regretted(4 * pages);
  EXPECT_EQ(upgrades_until_asked(blocks, 4), pages); // all of it
  blocks.regretted(4 * pages);
  EXPECT_EQ(upgrades_until_asked(blocks, 4), pages);
  blocks.used(4 * pages);
  EXPECT_EQ(upgrades_until_asked(blocks, 4), pages / 2);
}

TEST(WrittenBlocks, WhereMostAreRegrettedFewAreAskedFor) {
  WrittenBlocks blocks;
  uint32_t asked = 0;
  for (PageNumber block = 0; block < 1000; ++block)
    if (upgrades_until_asked(blocks, block, WrittenBlocks::first_enough)) {
      blocks.regretted(block * pages);
      ++asked;
    }
  EXPECT_GE(asked, 1000 / WrittenBlocks::now_and_then);
  EXPECT_LE(asked, 1000 / WrittenBlocks::now_and_then + WrittenBlocks::doubted + 2);
  for (PageNumber block = 2000; block < 3000; ++block) // they are used now: that is found out by the few
    if (upgrades_until_asked(blocks, block))
      blocks.used(block * pages);
  EXPECT_EQ(upgrades_until_asked(blocks, 3500, WrittenBlocks::first_enough), WrittenBlocks::first_enough);
}

TEST(WrittenBlocks, TellingOfABlockThatIsNotKnownChangesNothing) {
  WrittenBlocks blocks;
  blocks.used(4 * pages), blocks.regretted(5 * pages), blocks.shared(6 * pages, 200);
  EXPECT_EQ(upgrades_until_asked(blocks, 4), WrittenBlocks::first_enough);
}

TEST(WrittenBlocks, OfTwoInOnePlaceTheLatestIsRemembered) {
  WrittenBlocks blocks;
  const PageNumber far = 4 + 4096;
  EXPECT_EQ(upgrades_until_asked(blocks, 4, 10), 0u);
  EXPECT_EQ(upgrades_until_asked(blocks, far, 10), 0u);
  EXPECT_EQ(upgrades_until_asked(blocks, 4), WrittenBlocks::first_enough);
}

} // namespace
} // namespace hetmp::dsm
