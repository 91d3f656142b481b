// Whether a thread is denied the CPU that it has at home.
#include "dsm/migration/journeys/home_cpu.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr int64_t ms = 1'000'000;

/// A thread's time at home, and its process's.
class Home {
 public:
  explicit Home(uint32_t cpus = 1) { cpu.begin(times, cpus); }

  /// For `passed`, of which the thread and all of its process were executed so long.
  void passes(int64_t passed, int64_t thread, int64_t process, bool sleeps = false) {
    times.now_ns += passed;
    times.thread_ns += thread;
    times.process_ns += process;
    times.sleeps += sleeps;
    cpu.look(times);
  }

  HomeCpu::Times times{1000 * ms, 5 * ms, 9 * ms, 3};
  HomeCpu cpu;
};

TEST(HomeCpu, NobodyIsDeniedAnythingBeforeItHasBeenLookedAtForAWhile) {
  Home home;
  EXPECT_FALSE(home.cpu.is_slow());
  home.passes(HomeCpu::least_ns - 1, 0, 0);
  EXPECT_FALSE(home.cpu.is_slow());
  EXPECT_EQ(home.cpu.denied_share(), 0);
  EXPECT_EQ(home.cpu.next_look_ns(), HomeCpu::look_ns);
  home.passes(1, 0, 0);
  EXPECT_TRUE(home.cpu.is_slow());
  EXPECT_EQ(home.cpu.denied_share(), 1);
  EXPECT_EQ(home.cpu.next_look_ns(), HomeCpu::soon_ns);
}

TEST(HomeCpu, AQuotaOfHalfACpuDeniesHalf) {
  Home home;
  for (int period = 0; period < 10; ++period) {
    home.passes(50 * ms, 50 * ms, 50 * ms);
    home.passes(50 * ms, 0, 0);
  }
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.13);
  EXPECT_TRUE(home.cpu.is_slow());
}

TEST(HomeCpu, OtherThreadsOfItsProcessDenyNothing) {
  Home home;
  for (int i = 0; i < 10; ++i)
    home.passes(10 * ms, 5 * ms, 10 * ms);
  EXPECT_EQ(home.cpu.denied_share(), 0);
}

TEST(HomeCpu, AThreadThatHasACpuOfSeveralIsDeniedNothing) {
  Home home(2);
  for (int i = 0; i < 10; ++i)
    home.passes(10 * ms, 10 * ms, 10 * ms); // nobody wants the other one
  EXPECT_EQ(home.cpu.denied_share(), 0);
  for (int i = 0; i < 120; ++i)
    home.passes(10 * ms, 5 * ms, 10 * ms); // together they have one CPU of two
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.05);
}

TEST(HomeCpu, WhileItSleptItWasDeniedNothing) {
  Home home;
  for (int i = 0; i < 10; ++i)
    home.passes(10 * ms, 1 * ms, 1 * ms, true);
  EXPECT_EQ(home.cpu.denied_share(), 0);
  home.passes(30 * ms, 15 * ms, 15 * ms);
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.001);
}

TEST(HomeCpu, WhatWasLongAgoCountsLess) {
  Home home;
  for (int i = 0; i < 100; ++i)
    home.passes(10 * ms, 2 * ms, 2 * ms);
  EXPECT_TRUE(home.cpu.is_slow());
  for (int i = 0; i < 60; ++i)
    home.passes(10 * ms, 10 * ms, 10 * ms);
  EXPECT_FALSE(home.cpu.is_slow());
}

TEST(HomeCpu, WhatWasElsewhereIsNotSeen) {
  Home home;
  home.times.now_ns += 500 * ms;
  home.cpu.begin(home.times, 1);
  home.passes(30 * ms, 30 * ms, 30 * ms);
  EXPECT_EQ(home.cpu.denied_share(), 0);
}

TEST(HomeCpu, WhatIsComputedElsewhereGainsWhatItWouldTakeLongerAtHome) {
  Home home;
  EXPECT_EQ(home.cpu.gain_elsewhere(), 0);
  home.passes(40 * ms, 30 * ms, 30 * ms);
  EXPECT_NEAR(home.cpu.gain_elsewhere(), 1.0 / 3, 0.001);
  home.passes(80 * ms, 10 * ms, 10 * ms); // two thirds of all
  EXPECT_EQ(home.cpu.gain_elsewhere(), 1);
  home.passes(4000 * ms, 0, 0);
  EXPECT_EQ(home.cpu.gain_elsewhere(), 1);
}

} // namespace
} // namespace hetmp::dsm
