// What share of its CPUs' time the origin gets.
#include "schedulers/placement/home_speed.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace hetmp::schedulers {
namespace {

/// With that quota, if the speed asks for one.
HomeSpeed with_quota(double cpus, std::optional<double> quota) {
  HomeSpeed speed(cpus);
  speed.add(HomeSpeed::least_us, HomeSpeed::least_us / 4);
  EXPECT_TRUE(speed.asks_for_quota());
  EXPECT_EQ(speed.share(), 1) << "nobody knows why it seems slow";
  speed.set_quota(quota);
  return speed;
}

TEST(HomeSpeed, IsWhatTheOriginGetsOfItsCpus) {
  HomeSpeed speed = with_quota(1, 0.25);
  EXPECT_DOUBLE_EQ(speed.share(), 0.25);
  EXPECT_DOUBLE_EQ(with_quota(2, 0.125).share(), 0.125);
  for (int visit = 0; visit < 1000; visit++)
    speed.add(10'000, 10'100);
  EXPECT_NEAR(speed.share(), 1, 0.001) << "of late";
  for (int visit = 0; visit < 1000; visit++)
    speed.add(10'000, 5'000);
  EXPECT_TRUE(speed.asks_for_quota()) << "it may have another one by now";
}

TEST(HomeSpeed, LittleTellsNothing) {
  HomeSpeed speed(1);
  speed.add(HomeSpeed::least_us / 2, HomeSpeed::least_us / 4);
  EXPECT_FALSE(speed.seems_slow());
  EXPECT_EQ(speed.share(), 1);
}

/// While threads were elsewhere, those at home may have waited for them. What they had besides tells all the same.
TEST(HomeSpeed, IsSeenBesideJourneys) {
  HomeSpeed waits(1);
  HomeSpeed is_slow(1);
  for (int visit = 0; visit < 10; visit++) {
    waits.add(10'000, 6'000, 5'000);
    is_slow.add(10'000, 4'500, 1'000);
  }
  EXPECT_FALSE(waits.seems_slow()) << "it may have had nothing to execute";
  is_slow.set_quota(0.4);
  EXPECT_DOUBLE_EQ(is_slow.share(), 0.5);
  HomeSpeed nothing(1);
  nothing.add(100'000, 1'000, 150'000); // two threads at a time
  EXPECT_FALSE(nothing.seems_slow()) << "nothing is known";
}

/// Seven of eight threads wait: that the CPUs are hardly used is their own doing.
TEST(HomeSpeed, AQuotaDeniesNoMoreThanItSays) {
  EXPECT_DOUBLE_EQ(with_quota(8, 7).share(), 0.875);
  EXPECT_EQ(with_quota(8, 9).share(), 1) << "of CPUs that it does not deny";
}

/// Of a period of 10 ms it executes 5, so one visit of 2 ms in three takes 5 ms more.
TEST(HomeSpeed, WhatAQuotaStopsTakesAsLongAsAllOfThem) {
  HomeSpeed speed(1);
  speed.set_quota(0.5);
  EXPECT_DOUBLE_EQ(speed.evenly_us(7'000, 2'000), 7'000) << "nothing is known";
  for (int visit = 0; visit < 30; visit++) {
    const double taken_us = visit % 5 < 2 ? 7'000 : 2'000;
    speed.add(taken_us, 2'000);
    if (speed.asks_for_quota())
      speed.set_quota(0.5);
  }
  EXPECT_NEAR(speed.evenly_us(2'000, 2'000), 4'000, 1);
  EXPECT_NEAR(speed.evenly_us(7'000, 2'000), 4'000, 1);
  EXPECT_DOUBLE_EQ(speed.evenly_us(50'000, 2'000), 50'000) << "it has waited for something else";
  EXPECT_DOUBLE_EQ(with_quota(1, {}).evenly_us(7'000, 2'000), 7'000);
}

/// Until it is seen that it is not so. A quota denies nothing for the first part of a period.
TEST(HomeSpeed, AQuotaIsExpectedToBeFelt) {
  HomeSpeed speed(2);
  speed.expect_quota(0.5);
  EXPECT_DOUBLE_EQ(speed.share(), 0.25);
  speed.add(HomeSpeed::least_us, 2 * HomeSpeed::least_us);
  EXPECT_DOUBLE_EQ(speed.share(), 0.25);
  speed.add(HomeSpeed::outweighs_us, 2 * HomeSpeed::outweighs_us);
  EXPECT_DOUBLE_EQ(speed.share(), 1);
  HomeSpeed fast(2);
  fast.expect_quota(2.5);
  EXPECT_DOUBLE_EQ(fast.share(), 1) << "it denies nothing";
}

TEST(HomeSpeed, WhatWaitsWhileItsCpusAreIdleIsNotSlow) {
  HomeSpeed waits = with_quota(2, {});
  HomeSpeed is_denied = with_quota(2, {});
  EXPECT_TRUE(waits.asks_for_idle());
  EXPECT_EQ(is_denied.share(), 1) << "nothing is known yet";
  for (int visit = 0; visit < 200; visit++) {
    const double ticks_us = visit % 2 == 0 ? 0 : 10'000; // in a look at every second visit
    waits.add_idle(10'000, 15'000, ticks_us);
    is_denied.add_idle(10'000, 10'000, 0);
  }
  EXPECT_DOUBLE_EQ(waits.share(), 1);
  EXPECT_DOUBLE_EQ(is_denied.share(), 0.5) << "by another program";
}

} // namespace
} // namespace hetmp::schedulers
