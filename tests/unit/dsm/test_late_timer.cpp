// A timer that is set anew only where it would come too late, in virtual time: signals come between any two of
// its thread's steps, and right before each of its calls.
#include "dsm/migration/contexts/late_timer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace hetmp::dsm {
namespace {

/// The kernel's. One world at a time.
struct World {
  int64_t now_ns = 1'000'000;
  int64_t armed_ns = 0; ///< 0: not
  uint64_t calls = 0;
  std::function<void()> before_call;
};
World* world = nullptr;

struct VirtualTimer {
  bool make() { return true; }
  void set_at(int64_t when_ns) {
    if (world->before_call)
      world->before_call();
    world->calls++;
    world->armed_ns = std::max(when_ns, world->now_ns + 1);
  }
  void stop() {
    if (world->before_call)
      world->before_call();
    world->calls++;
    world->armed_ns = 0;
  }
};

class LateTimers : public testing::Test {
 protected:
  LateTimers() { world = &world_; }
  ~LateTimers() override { world = nullptr; }

  /// A signal whose time has come runs its handler.
  void let_signal_come() {
    if (world_.armed_ns == 0 || world_.armed_ns > world_.now_ns)
      return;
    world_.armed_ns = 0;
    signals_++;
    if (timer_.is_due(world_.now_ns)) {
      came_ns_ = world_.now_ns;
      wanted_ns_ = 0;
    }
  }
  void pass(int64_t ns) {
    for (const int64_t end_ns = world_.now_ns + ns; world_.now_ns < end_ns; let_signal_come())
      world_.now_ns = world_.armed_ns > world_.now_ns ? std::min(world_.armed_ns, end_ns) : end_ns;
  }
  void set(int64_t delay_ns) {
    wanted_ns_ = world_.now_ns + delay_ns;
    timer_.set(wanted_ns_);
  }
  void leave() {
    wanted_ns_ = 0;
    timer_.leave();
  }

  World world_;
  LateTimer<VirtualTimer> timer_;
  int64_t wanted_ns_ = 0; ///< what has been set and has not come; 0: nothing
  int64_t came_ns_ = 0;   ///< what was due, last
  uint64_t signals_ = 0;
};

TEST_F(LateTimers, ComesWhenItIsDue) {
  set(5'000'000);
  pass(4'900'000);
  EXPECT_EQ(came_ns_, 0);
  pass(200'000);
  EXPECT_EQ(came_ns_, 6'000'000);
  EXPECT_EQ(world_.calls, 1u);
  EXPECT_EQ(signals_, 1u);
}

TEST_F(LateTimers, SmallRegionsTakeASignalNowAndThenAndNoCall) {
  constexpr int64_t region_ns = 50'000, delay_ns = 10'000'000;
  for (int i = 0; i < 20'000; ++i) { // a second
    set(delay_ns);
    pass(region_ns);
    leave();
  }
  EXPECT_EQ(came_ns_, 0);
  EXPECT_LE(signals_, 101u);
  EXPECT_LE(world_.calls, 202u);
}

TEST_F(LateTimers, ASoonerOneIsSetAtOnce) {
  set(50'000'000);
  leave();
  set(1'000'000);
  pass(1'000'000);
  EXPECT_EQ(came_ns_, 2'000'000);
}

TEST_F(LateTimers, NothingComesTwice) {
  set(1'000'000);
  pass(2'000'000);
  EXPECT_EQ(came_ns_, 2'000'000);
  pass(1'000'000'000);
  EXPECT_EQ(signals_, 1u);
}

TEST_F(LateTimers, StoppedNoneComes) {
  set(5'000'000);
  EXPECT_EQ(timer_.stop(), 6'000'000);
  pass(100'000'000);
  EXPECT_EQ(signals_, 0u);
  EXPECT_EQ(timer_.stop(), timer_.never);
  set(5'000'000);
  leave();
  EXPECT_EQ(timer_.stop(), timer_.never); // what was left behind does not come, either
  pass(100'000'000);
  EXPECT_EQ(signals_, 0u);
}

TEST_F(LateTimers, WhatStopsNothingMakesNoCall) {
  timer_.stop();
  EXPECT_EQ(world_.calls, 0u);
}

/// Whatever is set comes, not before its time, unless something else is wanted first: also where signals come right
/// before the calls that set the timer.
TEST_F(LateTimers, RandomStepsLoseNothing) {
  std::mt19937_64 random(7);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most)) + 1; };
  bool is_inside = false;
  world_.before_call = [&] {
    if (is_inside)
      return;
    is_inside = true;
    if (random() % 4 == 0)
      world_.now_ns += up_to(3'000'000);
    let_signal_come();
    is_inside = false;
  };
  for (int step = 0; step < 200'000; ++step) {
    switch (random() % 6) {
    case 0:
    case 1:
      set(up_to(random() % 2 ? 100'000 : 40'000'000));
      break;
    case 2:
      leave();
      break;
    case 3:
      timer_.stop();
      wanted_ns_ = 0;
      ASSERT_EQ(world_.armed_ns, 0);
      break;
    default: {
      const int64_t wanted_ns = wanted_ns_, late_ns = 2 * timer_.early_ns;
      pass(up_to(20'000'000));
      while (world_.armed_ns != 0 && world_.armed_ns <= world_.now_ns + 1) // what a handler has taken is over
        pass(1);
      if (wanted_ns != 0 && world_.now_ns >= wanted_ns + late_ns) {
        ASSERT_EQ(wanted_ns_, 0) << "step " << step << ": what was due has not come";
        ASSERT_GE(came_ns_, wanted_ns - timer_.early_ns) << "step " << step;
      }
    }
    }
  }
}

} // namespace
} // namespace hetmp::dsm
