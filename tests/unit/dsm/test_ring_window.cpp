// Rings in another node's memory: nothing is overwritten that is still needed, and whoever waits for room gets it.
// Each exploration finds faults that are put in: test_ring_window_seeded_faults.cpp.
#include "ring_exploration.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm {
namespace {

using ring_model::Shape;

TEST(RingWindow, NothingIsOverwrittenAndWhoWaitsGetsRoom) {
  const auto explored = ring_model::explore_at_random<SendWindow, ReceiveWindow>(1500);
  EXPECT_EQ(explored.problem, "") << "in world " << explored.worlds;
}

TEST(RingWindow, EveryOrderOfStepsInTinyWorlds) {
  struct World {
    Shape shape;
    uint32_t first_sends, second_sends;
  };
  for (const World& world : {World{{.ring_units = 3, .largest = 1}, 5, 0},
                             {{.ring_units = 3, .largest = 1}, 3, 1},
                             {{.ring_units = 7, .largest = 2}, 4, 0}}) {
    const auto explored =
        ring_model::explore_all<SendWindow, ReceiveWindow>(world.shape, world.first_sends, world.second_sends);
    EXPECT_EQ(explored.problem, "");
    std::printf("%u states, %zu steps\n", explored.worlds, explored.steps);
  }
}

TEST(RingWindow, APlaceThatTheSenderCannotHaveMeantIsRefused) {
  constexpr size_t ring = 12 * ring_unit;
  ReceiveWindow in(ring, 8);
  EXPECT_FALSE(in.accept(ring_unit, ring_unit)) << "the first one is at the front";
  EXPECT_FALSE(in.accept(0, 0));
  EXPECT_FALSE(in.accept(0, ring + 1));
  EXPECT_TRUE(in.accept(0, 10 * ring_unit));
  EXPECT_FALSE(in.accept(0, ring_unit)) << "it fits behind the first";
  EXPECT_FALSE(in.accept(10 * ring_unit, 3 * ring_unit)) << "it does not fit before the end";
  EXPECT_TRUE(in.accept(0, 3 * ring_unit));
  EXPECT_TRUE(in.accept(3 * ring_unit, 1));
}

TEST(RingWindow, CreditThatNobodyCanHaveGivenIsRefused) {
  SendWindow out(12 * ring_unit, 8, 20);
  EXPECT_TRUE(out.credit(0));
  EXPECT_FALSE(out.credit(1));
  out.sent(ring_unit);
  out.sent(ring_unit);
  EXPECT_FALSE(out.credit(3));
  EXPECT_TRUE(out.credit(2));
  EXPECT_FALSE(out.credit(1)) << "less than before";
  EXPECT_FALSE(out.complete(3));
  EXPECT_TRUE(out.complete(2));
  EXPECT_FALSE(out.complete(1));
}

} // namespace
} // namespace hetmp::dsm
