#include "base/machine/cpu_idle.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <string>

namespace hetmp {
namespace {

const std::string stat = "cpu  30 2 3 99 9 0 0 0 0 0\n"
                         "cpu0 10 1 1 40 4 0 0 0 0 0\n"
                         "cpu1 20 1 2 50 5 0 0 0 0 0\n"
                         "cpu11 20 1 2 7 1 0 0 0 0 0\n"
                         "intr 5 6\n";

TEST(CpuIdle, IsTheFourthAndTheFifthNumber) {
  EXPECT_EQ(stat_says_idle_ticks(stat, {0}), 44u);
  EXPECT_EQ(stat_says_idle_ticks(stat, {1, 11}), 63u);
  EXPECT_EQ(stat_says_idle_ticks(stat, {}), 0u);
}

TEST(CpuIdle, OfACpuThatIsNotThereIsNotKnown) {
  EXPECT_FALSE(stat_says_idle_ticks(stat, {0, 2}));
  EXPECT_FALSE(stat_says_idle_ticks("", {0}));
  EXPECT_FALSE(stat_says_idle_ticks("cpu 1\ncpu0 1 2 3\n", {0}));
  EXPECT_FALSE(stat_says_idle_ticks("cpu 1\ncpu0 1 2 3 4", {0}));
}

TEST(CpuIdle, OfThisMachineGrows) {
  const int cpu = sched_getcpu();
  const auto before = idle_us_of({cpu});
  ASSERT_TRUE(before);
  EXPECT_GE(idle_us_of({cpu}), before);
  EXPECT_FALSE(idle_us_of({100'000}));
}

} // namespace
} // namespace hetmp
