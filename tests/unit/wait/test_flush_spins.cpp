// Who does nothing but flush is told from who computes in between.
#include "runtime/wait/flush_spins.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

/// Places and frames are addresses that nobody reads from.
const void* address(uintptr_t value) { return reinterpret_cast<const void*>(value); }

const void* const frame = address(0x7fff'0000'1000);
const void* const other_frame = address(0x7ffe'0001'2000);
const void* const place = address(0x40'1000);

TEST(FlushSpins, ManyFlushesInARowAreAWait) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  int before = 0;
  while (!spins.is_repeated(frame, place, now += 100))
    ASSERT_LT(++before, 100);
  EXPECT_GE(before, 2); // a program may well flush twice
  EXPECT_TRUE(spins.is_repeated(frame, place, now += 100));
}

TEST(FlushSpins, WhoComputesInBetweenDoesNotWait) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  for (int flush = 0; flush < 1000; flush++)
    ASSERT_FALSE(spins.is_repeated(frame, place, now += 2000));
}

TEST(FlushSpins, FlushesAtDifferentPlacesAreNoWait) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  for (uintptr_t flush = 0; flush < 1000; flush++)
    ASSERT_FALSE(spins.is_repeated(frame, address(0x40'1000 + flush % 2), now += 100));
}

TEST(FlushSpins, ThreadsDoNotCountEachOthersFlushes) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  for (int flush = 0; flush < 1000; flush++) {
    spins.is_repeated(frame, place, now += 50);
    ASSERT_FALSE(flush % 20 == 0 && spins.is_repeated(other_frame, place, now += 50));
  }
}

TEST(FlushSpins, AWaitGoesOnAfterOthersHaveRun) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  for (int turn = 0; turn < 5; turn++) {
    int before = 0;
    while (!spins.is_repeated(frame, place, now += 100))
      ASSERT_LT(++before, 100);
    spins.waited(frame, now += 4'000'000);
  }
  EXPECT_FALSE(spins.is_repeated(frame, place, now + 4'000'000)); // it has computed since
}

// It cannot be told from one that waits, and should not pay a change of threads for each step.
TEST(FlushSpins, WhoComputesWithAFlushForEachStepSeldomGivesItsCpuAway) {
  FlushSpins spins;
  int64_t now = 1'000'000;
  int given_away = 0;
  for (int flush = 0; flush < 1000; flush++)
    if (spins.is_repeated(frame, place, now += 50)) {
      spins.waited(frame, now += 1000);
      given_away++;
    }
  EXPECT_GT(given_away, 10);
  EXPECT_LT(given_away, 50);
}

} // namespace
} // namespace hetmp::runtime
