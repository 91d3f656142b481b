// How many tasks are executed together, and where.
#include "schedulers/arithmetic/task_sizes.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

using Way = TaskSizes::Way;
using Plan = TaskSizes::Plan;

TEST(TaskSizes, AreUnknownAtFirstAndAtEachDepth) {
  TaskSizes sizes;
  EXPECT_EQ(sizes.plan(1, 100), (Plan{Way::Unknown, 1}));
  sizes.took(1, 1, 5000, 0, false, false);
  EXPECT_EQ(sizes.plan(2, 100), (Plan{Way::Unknown, 1}));
  sizes.forget();
  EXPECT_EQ(sizes.plan(1, 100), (Plan{Way::Unknown, 1}));
}

TEST(TaskSizes, SmallOnesLeaveTogetherIfThereAreEnough) {
  TaskSizes sizes;
  sizes.took(1, 1, 1000, 0, false, false);
  EXPECT_EQ(sizes.plan(1, 100), (Plan{Way::Leave, 12}));
  EXPECT_EQ(sizes.plan(1, 4), (Plan{Way::Leave, 5}));
  EXPECT_EQ(sizes.plan(1, 1), (Plan{Way::Wait, 1})) << "two of them are not worth the way";
  EXPECT_FALSE(sizes.are_worth_the_way(1, 2));
  EXPECT_TRUE(sizes.are_worth_the_way(1, 3));
  EXPECT_FALSE(sizes.are_worth_the_way(2, 100)) << "nothing is known of them";
}

TEST(TaskSizes, TinyOnesStay) {
  TaskSizes sizes;
  sizes.took(3, 1, 10, 0, false, false);
  EXPECT_EQ(sizes.plan(3, 1000), (Plan{Way::Stay, 1}));
  sizes.took(4, 1, 0, 0, false, false);
  EXPECT_EQ(sizes.plan(4, 1000), (Plan{Way::Stay, 1}));
}

TEST(TaskSizes, LargeOnesThatGenerateOthersAreDivided) {
  TaskSizes sizes;
  sizes.took(1, 1, 2 * TaskSizes::most_us, 0, false, true);
  EXPECT_EQ(sizes.plan(1, 100), (Plan{Way::Divide, 1}));
  sizes.took(2, 1, 2 * TaskSizes::most_us, 0, false, false);
  EXPECT_EQ(sizes.plan(2, 100), (Plan{Way::Leave, 1})) << "nothing of it can be taken by another";
}

TEST(TaskSizes, WhatIsSlowerElsewhereStaysAndIsTriedAgain) {
  TaskSizes sizes;
  sizes.took(1, 1, 10'000, 0, false, false);
  for (uint32_t i = 0; i < TaskSizes::tries; ++i) {
    EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Leave, 1}));
    sizes.took(1, 1, 30'000, 29'000, true, false);
  }
  uint32_t stayed = 0;
  while (sizes.plan(1, 0) == Plan{Way::Stay, 1})
    ++stayed;
  EXPECT_EQ(stayed, TaskSizes::rest - 1);
  for (int i = 0; i < 8; ++i) // now its data are there
    sizes.took(1, 1, 10'500, 10'000, true, false);
  for (uint32_t i = 0; i < 2 * TaskSizes::rest; ++i)
    EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Leave, 1}));
}

/// Where both nodes write to one page each side waits for the other, and nothing is left to wait for afterwards.
TEST(TaskSizes, WaitsOnBothSidesAreNotAddedUp) {
  for (const double cost_us : {0.0, 5'000.0, 6'500.0}) {
    TaskSizes sizes;
    sizes.took(1, 1, 10'000, 0, false, false);
    for (uint32_t i = 0; i < TaskSizes::tries; ++i)
      sizes.took(1, 1, 15'500, 15'000, true, false, cost_us);
    EXPECT_EQ(sizes.plan(1, 0).way, cost_us > 6'000 ? Way::Stay : Way::Leave) << cost_us;
  }
}

/// A thread that leaves with each one would never know what they take at home.
TEST(TaskSizes, OneShowsWhatItTakesAtHome) {
  TaskSizes sizes;
  for (uint32_t i = 0; i < TaskSizes::tries; ++i) {
    sizes.took(1, 1, 25'000, 24'000, true, false);
    EXPECT_EQ(sizes.plan(1, 0).way, i + 1 < TaskSizes::tries ? Way::Leave : Way::Stay);
  }
  TaskSizes slow = sizes;
  slow.took(1, 1, 10'000, 0, false, false);
  EXPECT_EQ(slow.plan(1, 0), (Plan{Way::Stay, 1}));
  sizes.took(1, 1, 20'000, 0, false, false);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Leave, 1}));
}

TEST(TaskSizes, WhatIsSlowerAtSomeDepthsIsSoAtOthers) {
  TaskSizes sizes;
  const auto take = [&](uint32_t depth, double away_us) {
    sizes.took(depth, 1, 10'000, 0, false, false);
    for (uint32_t i = 0; i < TaskSizes::tries; ++i)
      sizes.took(depth, 1, away_us, away_us, true, false);
  };
  sizes.took(5, 1, 10'000, 0, false, false);
  take(1, 30'000);
  EXPECT_EQ(sizes.plan(5, 0), (Plan{Way::Leave, 1})) << "one says little";
  take(2, 30'000);
  EXPECT_EQ(sizes.plan(5, 0), (Plan{Way::Stay, 1}));
  take(3, 11'000);
  EXPECT_EQ(sizes.plan(5, 0), (Plan{Way::Leave, 1})) << "they differ";
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Stay, 1}));
  EXPECT_EQ(sizes.plan(3, 0), (Plan{Way::Leave, 1}));
}

TEST(TaskSizes, OfTinyOnesSomeAreTimed) {
  TaskSizes sizes;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(sizes.wants_time(5));
    sizes.took(5, 1, 3, 0, false, false);
  }
  uint32_t timed = 0;
  for (uint32_t i = 0; i < 10 * TaskSizes::one_of; ++i)
    timed += sizes.wants_time(5);
  EXPECT_EQ(timed, 10u);
  for (int i = 0; i < 8; ++i) // they have grown
    sizes.took(5, 1, 10'000, 0, false, false);
  EXPECT_TRUE(sizes.wants_time(5));
  EXPECT_EQ(sizes.plan(5, 0), (Plan{Way::Leave, 1}));
}

TEST(TaskSizes, WhatComesHomeAtOnceWasNotWorthIt) {
  TaskSizes sizes;
  sizes.took(1, 1, 10'000, 0, false, false);
  sizes.took(1, 1, 10'400, 400, true, false);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Stay, 1}));
}

TEST(TaskSizes, WhatLeftLateSaysNothing) {
  TaskSizes sizes;
  sizes.took(1, 1, 10'000, 4000, false, false);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Unknown, 1}));
  sizes.took(1, 1, 10'000, 0, false, false);
  for (int i = 0; i < 8; ++i)
    sizes.took(1, 1, 10'000, 4000, false, false);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Leave, 1}));
}

TEST(TaskSizes, WhatStaysIsTriedAgainSoonerIfAsked) {
  TaskSizes sizes;
  sizes.took(1, 1, 10'000, 0, false, false);
  for (uint32_t i = 0; i < TaskSizes::tries; ++i)
    sizes.took(1, 1, 30'000, 29'000, true, false);
  EXPECT_EQ(sizes.plan(1, 0, {.again = true}), (Plan{Way::Leave, 1}));
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Stay, 1})) << "once";
  sizes.took(2, 1, 10, 0, false, false);
  EXPECT_EQ(sizes.plan(2, 1000, {.again = true}), (Plan{Way::Stay, 1})) << "tiny ones are no better for having stayed";
}

/// A region's outermost task may be the only one of its depth.
TEST(TaskSizes, PartsOfOneThatStaysAreTriedAgain) {
  TaskSizes sizes;
  EXPECT_EQ(sizes.plan(5, 0, {.within = true}), (Plan{Way::Stay, 1})) << "nothing is known of it";
  sizes.took(5, 1, 10'000, 0, false, false);
  EXPECT_EQ(sizes.plan(5, 0), (Plan{Way::Leave, 1}));
  uint32_t stayed = 0;
  while (sizes.plan(5, 0, {.within = true}) == Plan{Way::Stay, 1})
    ++stayed;
  EXPECT_EQ(stayed, TaskSizes::rest - 1);
}

TEST(TaskSizes, WhatOthersInsideOfItDidElsewhereSaysNothingOfItself) {
  TaskSizes sizes;
  sizes.took(1, 1, 2 * TaskSizes::most_us, 0, false, false);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Leave, 1}));
  sizes.took_in_pieces(1, true);
  EXPECT_EQ(sizes.plan(1, 0), (Plan{Way::Divide, 1})) << "but that it generates some";
  sizes.took_in_pieces(2, true);
  EXPECT_EQ(sizes.plan(2, 0), (Plan{Way::Unknown, 1}));
}

/// What a timer has sent away in a small task's midst took as long as the way.
TEST(TaskSizes, ShortStaysThatNobodyPlannedSayNothing) {
  TaskSizes sizes;
  sizes.took(1, 1, 400, 0, false, false);
  for (uint32_t i = 0; i < 2 * TaskSizes::tries; ++i)
    sizes.took(1, 1, 2800, 2600, false, false);
  EXPECT_EQ(sizes.plan(1, 100), (Plan{Way::Leave, 30}));
}

TEST(TaskSizes, DeepOnesAreAlike) {
  TaskSizes sizes;
  sizes.took(1000, 1, 20'000, 0, false, false);
  EXPECT_EQ(sizes.plan(UINT32_MAX, 3), (Plan{Way::Leave, 1}));
}

} // namespace
} // namespace hetmp::schedulers
