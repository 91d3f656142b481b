// Offered pages that are written at the end of what they were offered for.
#include "dsm/ahead/written_after.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr PageNumber offered = 5000;

struct Ends {
  WrittenAfter memory;
  uint32_t waits = 0, taken = 0, taken_early = 0, read_again = 0;

  /// The origin writes the page after each end, as long as `writes`; another node reads it until the end if `reads`.
  void repeat(uint32_t times, bool writes, bool reads = false) {
    for (uint32_t i = 0; i < times; ++i) {
      bool here = memory.take_early(offered);
      taken_early += here;
      if (here && reads) {
        ++read_again;
        memory.read_again(offered);
        here = false;
      }
      const bool take = memory.take(offered);
      taken += take && !here;
      if (writes && !here && !take) {
        ++waits;
        memory.waited_for(offered);
      }
    }
  }
};

TEST(WrittenAfter, APageIsTakenBackOnceThreadsHaveWaitedForIt) {
  Ends ends;
  ends.repeat(1600, true);
  EXPECT_LE(ends.waits, 1600 / WrittenAfter::period + WrittenAfter::enough);
  EXPECT_GE(ends.taken_early, 1600 - 1600 / WrittenAfter::period - WrittenAfter::enough - 1);
}

TEST(WrittenAfter, NothingIsTakenOfWhatNobodyHasWaitedFor) {
  Ends ends;
  ends.repeat(100, false);
  ends.memory.waited_for(offered);
  ends.repeat(100, false);
  EXPECT_EQ(ends.taken + ends.taken_early, 0u);
}

TEST(WrittenAfter, ItEndsWhenThePageIsNotWrittenAnyMore) {
  Ends ends;
  ends.repeat(100, true);
  const uint32_t before = ends.taken + ends.taken_early;
  ends.repeat(1000, false);
  EXPECT_LE(ends.taken + ends.taken_early - before, WrittenAfter::period);
  ends.repeat(100, true);
  EXPECT_GT(ends.taken + ends.taken_early - before, 80u) << "and begins again";
}

TEST(WrittenAfter, WhatOthersReadUntilTheEndIsTakenAtTheEnd) {
  Ends ends;
  ends.repeat(2000, true, true);
  EXPECT_LT(ends.read_again, 12u) << "each time after twice as many ends";
  EXPECT_GT(ends.taken, 1800u);
}

TEST(WrittenAfter, TakingEarlyIsTriedAgain) {
  Ends ends;
  ends.repeat(200, true, true);
  const uint32_t before = ends.taken_early;
  ends.repeat(2000, true);
  EXPECT_GT(ends.taken_early - before, 1500u);
}

TEST(WrittenAfter, PagesAreKnownApart) {
  WrittenAfter memory;
  for (uint32_t i = 0; i < WrittenAfter::enough; ++i)
    memory.waited_for(offered);
  EXPECT_FALSE(memory.take(offered + 1));
  EXPECT_FALSE(memory.take_early(offered + 1));
  memory.read_again(offered + 1);
  EXPECT_TRUE(memory.take_early(offered));
  EXPECT_TRUE(memory.take(offered));
}

} // namespace
} // namespace hetmp::dsm
