#include "base/growing_allowance.hpp"

#include <gtest/gtest.h>

namespace hetmp {
namespace {

constexpr GrowingAllowance grows{.first_us = 5000, .later = {50'000, 60'000, 0.02}, .alone = {900'000, 70'000, 0.03}};

TEST(GrowingAllowance, IsLittleAtFirstAndGrowsLater) {
  EXPECT_EQ(grows.at(0), 5000);
  EXPECT_EQ(grows.at(49'999), 5000);
  EXPECT_EQ(grows.at(50'000), 61'000);
  EXPECT_EQ(grows.at(800'000), 76'000);
  EXPECT_EQ(grows.at(1'000'000), 100'000);
}

TEST(GrowingAllowance, IsNeverLessThanAtFirst) {
  EXPECT_EQ((GrowingAllowance{.first_us = 5000, .later = {0, 10, 0}}.at(1e9)), 5000);
}

TEST(GrowingAllowance, TellsWhenItIsEnough) {
  for (const double wanted_us : {1.0, 5000.0, 5001.0, 60'000.0, 61'000.0, 61'001.0, 90'000.0, 97'000.0, 150'000.0}) {
    const double when_us = grows.when(wanted_us);
    EXPECT_GE(grows.at(when_us), wanted_us);
    EXPECT_TRUE(when_us == 0 || grows.at(when_us * 0.999) < wanted_us) << wanted_us;
  }
}

TEST(GrowingAllowance, ThatDoesNotGrowIsNeverMore) {
  EXPECT_EQ((GrowingAllowance{.first_us = 5000}.at(1e12)), 5000);
  EXPECT_EQ((GrowingAllowance{.first_us = 5000}.when(5001)), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace hetmp
