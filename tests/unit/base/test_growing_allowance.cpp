#include "base/growing_allowance.hpp"

#include <gtest/gtest.h>

namespace hetmp {
namespace {

constexpr GrowingAllowance grows{.first_us = 5000,
                                 .later = {50'000, 0.6},
                                 .alone = {900'000, 1},
                                 .budget = {.share = 0.03, .base_us = 100'000, .soon = 0.2},
                                 .begun_us = 400'000,
                                 .taken_us = 20'000};

TEST(GrowingAllowance, IsLittleAtFirstAndGrowsLater) {
  EXPECT_EQ(grows.at(0), 5000);
  EXPECT_EQ(grows.at(49'999), 5000);
  EXPECT_NEAR(grows.at(50'000), 0.6 * (0.23 * 450'000 - 20'000), 1e-6);
  EXPECT_NEAR(grows.at(100'000), 0.6 * (115'000 - 20'000), 1e-6);
  EXPECT_NEAR(grows.at(800'000), 0.6 * (136'000 - 20'000), 1e-6);
  EXPECT_NEAR(grows.at(1'000'000), 142'000 - 20'000, 1e-6);
}

TEST(GrowingAllowance, IsNeverLessThanAtFirst) {
  EXPECT_EQ((GrowingAllowance{.first_us = 5000, .later = {0, 0.0001}}.at(1e6)), 5000);
}

TEST(GrowingAllowance, TellsWhenItIsEnough) {
  for (const double wanted_us :
       {1.0, 5000.0, 5001.0, 50'100.0, 50'101.0, 60'000.0, 76'000.0, 97'000.0, 119'000.0, 150'000.0}) {
    const double when_us = grows.when(wanted_us);
    EXPECT_GE(grows.at(when_us), wanted_us - 1e-6);
    EXPECT_TRUE(when_us == 0 || grows.at(when_us * 0.999) < wanted_us) << wanted_us;
  }
}

TEST(GrowingAllowance, IsNothingYetWhereTheBudgetIsSpent) {
  constexpr GrowingAllowance spent{.later = {0, 0.6}, .begun_us = 10'000, .taken_us = 50'000};
  EXPECT_EQ(spent.at(0), 0);
  EXPECT_NEAR(spent.at(spent.when(1000)), 1000, 1e-6);
}

TEST(ExperimentBudget, GivesAShortRunAShareOfIt) {
  constexpr ExperimentBudget budget{.share = 0.03, .base_us = 100'000, .soon = 0.2};
  EXPECT_EQ(budget.at(0), 0);
  EXPECT_NEAR(budget.at(100'000), 23'000, 1e-6);
  EXPECT_NEAR(budget.at(500'000), 115'000, 1e-6);
  EXPECT_NEAR(budget.at(10e6), 400'000, 1e-6);
  for (const double run_us : {1.0, 100'000.0, 499'999.0, 500'001.0, 7e6})
    EXPECT_NEAR(budget.when(budget.at(run_us)), run_us, 1e-6 * run_us);
}

TEST(GrowingAllowance, ThatDoesNotGrowIsNeverMore) {
  EXPECT_EQ((GrowingAllowance{.first_us = 5000}.at(1e12)), 5000);
  EXPECT_EQ((GrowingAllowance{.first_us = 5000}.when(5001)), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace hetmp
