// A thread keeps a distance where that spares it stops, and none where it only loses time.
#include "schedulers/arithmetic/following_distance.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

/// At each stop; after it the thread meets so many iterations for every pause, and so many anyhow.
uint32_t pauses_after(int stops, double met_per_pause, uint32_t met_anyhow, uint64_t* all = nullptr) {
  FollowingDistance distance;
  uint32_t pauses = 0;
  for (int stop = 0; stop < stops; stop++) {
    pauses = distance.pauses();
    if (all)
      *all += pauses;
    for (uint32_t met = 0; met < met_anyhow + uint32_t(met_per_pause * pauses); met++)
      distance.met();
  }
  return pauses;
}

TEST(FollowingDistance, GrowsWhereItSparesStops) {
  EXPECT_EQ(pauses_after(20, 0.5, 0), FollowingDistance::most_pauses);
  EXPECT_EQ(pauses_after(20, 0.5, 1), FollowingDistance::most_pauses);
}

TEST(FollowingDistance, IsHardlyEverTriedInAChain) {
  for (const uint32_t own : {0u, 1u, 2u}) { // of which a thread meets its own
    uint64_t all = 0;
    pauses_after(100'000, 0, own, &all);
    EXPECT_GT(all, 0u);
    EXPECT_LT(all, 100'000 / 20) << "pauses at a stop in the mean";
  }
}

TEST(FollowingDistance, IsFoundAgainWhenAChainIsOver) {
  FollowingDistance distance;
  for (int stop = 0; stop < 10'000; stop++)
    distance.pauses();
  int before = 0;
  while (distance.pauses() != FollowingDistance::most_pauses) {
    for (int met = 0; met < 10; met++)
      distance.met();
    ASSERT_LT(++before, 2000);
  }
}

TEST(FollowingDistance, EndsWhereItDoesNotSpareStopsAnyMore) {
  FollowingDistance distance;
  for (int stop = 0; stop < 20; stop++) {
    distance.pauses();
    for (int met = 0; met < 10; met++)
      distance.met();
  }
  EXPECT_EQ(distance.pauses(), FollowingDistance::most_pauses);
  EXPECT_EQ(distance.pauses(), 0u);
}

} // namespace
} // namespace hetmp::schedulers
