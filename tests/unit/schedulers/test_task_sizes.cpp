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
  EXPECT_EQ(sizes.plan(1, 1), (Plan{Way::Stay, 1})) << "two of them are not worth the way";
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

TEST(TaskSizes, DeepOnesAreAlike) {
  TaskSizes sizes;
  sizes.took(1000, 1, 20'000, 0, false, false);
  EXPECT_EQ(sizes.plan(UINT32_MAX, 3), (Plan{Way::Leave, 1}));
}

} // namespace
} // namespace hetmp::schedulers
