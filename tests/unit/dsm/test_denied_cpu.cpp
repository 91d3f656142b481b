// Whether a thread is denied the CPU that it has at home.
#include "dsm/migration/journeys/denied_cpu.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr int64_t millisecond = 1'000'000;

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

  DeniedCpu::Times times{1000 * millisecond, 5 * millisecond, 9 * millisecond, 3};
  DeniedCpu cpu;
};

TEST(DeniedCpu, NobodyIsDeniedAnythingBeforeItHasBeenLookedAtForAWhile) {
  Home home;
  EXPECT_FALSE(home.cpu.is_slow());
  home.passes(DeniedCpu::least_ns - 1, 0, 0);
  EXPECT_FALSE(home.cpu.is_slow());
  EXPECT_EQ(home.cpu.denied_share(), 0);
  EXPECT_EQ(home.cpu.next_look_ns(), DeniedCpu::look_ns);
  home.passes(1, 0, 0);
  EXPECT_TRUE(home.cpu.is_slow());
  EXPECT_EQ(home.cpu.denied_share(), 1);
  EXPECT_EQ(home.cpu.next_look_ns(), DeniedCpu::soon_ns);
}

TEST(DeniedCpu, AQuotaOfHalfACpuDeniesHalf) {
  Home home;
  for (int period = 0; period < 10; ++period) {
    home.passes(50 * millisecond, 50 * millisecond, 50 * millisecond);
    home.passes(50 * millisecond, 0, 0);
  }
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.13);
  EXPECT_TRUE(home.cpu.is_slow());
}

TEST(DeniedCpu, OtherThreadsOfItsProcessDenyNothing) {
  Home home;
  for (int i = 0; i < 10; ++i)
    home.passes(10 * millisecond, 5 * millisecond, 10 * millisecond);
  EXPECT_EQ(home.cpu.denied_share(), 0);
}

TEST(DeniedCpu, AThreadThatHasACpuOfSeveralIsDeniedNothing) {
  Home home(2);
  for (int i = 0; i < 10; ++i)
    home.passes(10 * millisecond, 10 * millisecond, 10 * millisecond); // nobody wants the other one
  EXPECT_EQ(home.cpu.denied_share(), 0);
  for (int i = 0; i < 120; ++i)
    home.passes(10 * millisecond, 5 * millisecond, 10 * millisecond); // together they have one CPU of two
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.05);
}

TEST(DeniedCpu, WhileItSleptItWasDeniedNothing) {
  Home home;
  for (int i = 0; i < 10; ++i)
    home.passes(10 * millisecond, 1 * millisecond, 1 * millisecond, true);
  EXPECT_EQ(home.cpu.denied_share(), 0);
  home.passes(30 * millisecond, 15 * millisecond, 15 * millisecond);
  EXPECT_NEAR(home.cpu.denied_share(), 0.5, 0.001);
}

TEST(DeniedCpu, WhatWasLongAgoCountsLess) {
  Home home;
  for (int i = 0; i < 100; ++i)
    home.passes(10 * millisecond, 2 * millisecond, 2 * millisecond);
  EXPECT_TRUE(home.cpu.is_slow());
  for (int i = 0; i < 60; ++i)
    home.passes(10 * millisecond, 10 * millisecond, 10 * millisecond);
  EXPECT_FALSE(home.cpu.is_slow());
}

TEST(DeniedCpu, WhatWasElsewhereIsNotSeen) {
  Home home;
  home.times.now_ns += 500 * millisecond;
  home.cpu.begin(home.times, 1);
  home.passes(30 * millisecond, 30 * millisecond, 30 * millisecond);
  EXPECT_EQ(home.cpu.denied_share(), 0);
}

TEST(DeniedCpu, WhatIsComputedElsewhereGainsWhatItWouldTakeLongerAtHome) {
  EXPECT_EQ(DeniedCpu::gain_elsewhere(0), 0);
  EXPECT_NEAR(DeniedCpu::gain_elsewhere(0.25), 1.0 / 3, 0.001);
  EXPECT_EQ(DeniedCpu::gain_elsewhere(2.0 / 3), 1);
  EXPECT_EQ(DeniedCpu::gain_elsewhere(1), 1);
  EXPECT_EQ(DeniedCpu::times_as_long(0), 1);
  EXPECT_NEAR(DeniedCpu::times_as_long(0.25), 4.0 / 3, 0.001);
  EXPECT_EQ(DeniedCpu::times_as_long(1), 100);
}

} // namespace
} // namespace hetmp::dsm
