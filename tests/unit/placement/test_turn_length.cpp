#include "base/mixed.hpp"
#include "schedulers/placement/turn_length.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace hetmp::schedulers {
namespace {

/// What a visit takes: its work, what turns of that length cost it, and what its threads wait for each other.
struct TurnedRegion {
  std::function<double(int visit)> work_us;
  double hand_overs = 0; ///< of each visit, by flags that are spun on
  double noise = 0;      ///< as a share of the work, up or down

  double visit_us(int visit, double turns_us, uint64_t seed) const {
    constexpr double kernels_us = 4000, switch_us = 30;
    const double interrupted = turns_us == 0 ? 0 : switch_us / turns_us;
    const double drawn = double(mixed(seed, uint64_t(visit)) >> 11) / double(uint64_t(1) << 53) * 2 - 1;
    const double waited_us = hand_overs * ((turns_us == 0 ? kernels_us : turns_us) + switch_us);
    return work_us(visit) * (1 + interrupted) * (1 + noise * drawn) + waited_us;
  }
};

struct TurnedRun {
  double taken_us = 0;  ///< in all visits
  double usual_us = 0;  ///< that they would have taken with the kernel's turns
  double last_turns_us; ///< that were usual in the end
};

TurnedRun run(const TurnedRegion& region, int visits, uint64_t seed = 1) {
  TurnLength length;
  TurnedRun run;
  for (int visit = 0; visit < visits; visit++) {
    const double taken_us = region.visit_us(visit, length.turns_us(), seed);
    run.taken_us += taken_us;
    run.usual_us += region.visit_us(visit, 0, seed);
    length.end(taken_us, 0);
  }
  run.last_turns_us = length.usual_turns_us();
  return run;
}

TurnedRegion steady(double work_us, double hand_overs) {
  return {[=](int visit) { return visit == 0 ? 3 * work_us : work_us; }, hand_overs, 0.05};
}

TEST(TurnLength, IsTheKernelsAtFirst) {
  const TurnLength length;
  EXPECT_EQ(length.turns_us(), 0);
  EXPECT_EQ(length.usual_turns_us(), 0);
}

TEST(TurnLength, IsTheKernelsForShortVisits) {
  TurnLength length;
  for (int visit = 0; visit < 1000; visit++) {
    EXPECT_EQ(length.turns_us(), 0);
    EXPECT_FALSE(length.end(TurnRules{}.shortest_visit_us[0] / 2, 0));
  }
}

TEST(TurnLength, BecomesShorterWhereThreadsWaitForEachOther) {
  const TurnedRun spins = run(steady(5000, 60), 200);
  EXPECT_GT(spins.last_turns_us, 0);
  EXPECT_LT(spins.last_turns_us, TurnRules{}.turns_us[1]);
  EXPECT_LT(spins.taken_us, spins.usual_us / 8);
}

/// A pipeline of few long steps.
TEST(TurnLength, BecomesShorterWhereTheyWaitNowAndThen) {
  const TurnedRun spins = run(steady(20'000, 3), 500);
  EXPECT_GT(spins.last_turns_us, 0);
  EXPECT_LT(spins.taken_us, spins.usual_us * 0.8);
}

TEST(TurnLength, CostsWhoComputesLittle) {
  for (uint64_t seed = 1; seed <= 50; seed++)
    for (const int visits : {10, 100, 2000}) {
      const TurnedRun computes = run(steady(10'000, 0), visits, seed);
      EXPECT_EQ(computes.last_turns_us, 0) << seed;
      EXPECT_LT(computes.taken_us, computes.usual_us * (visits > 10 ? 1.01 : 1.03)) << seed;
    }
}

/// Visits that are nothing like each other: the levels of a multigrid, a matrix that becomes smaller, every second one.
TEST(TurnLength, IsNotMisledByVisitsThatHaveLessToDo) {
  const std::function<double(int)> works[] = {
      [](int visit) { return 40'000 / double(1 << visit % 6); },
      [](int visit) { return 40'000 / double(1 << std::abs(visit % 12 - 6)); },
      [](int visit) { return visit % 2 ? 10'000.0 : 40'000.0; },
      [](int visit) { return visit % 4 < 2 ? 10'000.0 : 40'000.0; },
      [](int visit) { return visit % 4 % 3 == 0 ? 40'000.0 : 10'000.0; },
      [](int visit) { return 40'000 * std::max(0.01, 1 - visit / 400.0); },
      [](int visit) { return 5'000 * double(1 + mixed(7, uint64_t(visit)) % 20); },
  };
  for (const auto& work : works)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const TurnedRun computes = run({work, 0, 0.03}, 600, seed);
      EXPECT_LT(computes.taken_us, computes.usual_us * 1.025) << &work - works << ", seed " << seed;
    }
}

TEST(TurnLength, BecomesTheKernelsAgainWhenNobodyWaitsAnyMore) {
  TurnedRegion region = steady(10'000, 30);
  TurnLength length;
  for (int visit = 0; visit < 100; visit++)
    length.end(region.visit_us(visit, length.turns_us(), 1), 0);
  EXPECT_GT(length.usual_turns_us(), 0);
  region.hand_overs = 0;
  int changes = 0;
  for (int visit = 100; visit < 20'000; visit++)
    changes += length.end(region.visit_us(visit, length.turns_us(), 1), 0);
  EXPECT_GT(changes, 0);
  EXPECT_EQ(length.usual_turns_us(), 0);
}

TEST(TurnLength, TellsWhenVisitsTakeAnotherTime) {
  const TurnedRegion region = steady(5000, 60);
  TurnLength length;
  double usual_us = 0;
  for (int visit = 0; visit < 100; visit++) {
    const bool changes = length.end(region.visit_us(visit, length.turns_us(), 1), 0);
    EXPECT_EQ(changes, length.usual_turns_us() != usual_us) << visit;
    usual_us = length.usual_turns_us();
  }
}

/// With other trip counts a visit has something else to do: nothing is compared with it.
TEST(TurnLength, ComparesVisitsWithEqualTrips) {
  TurnLength length;
  length.end(50'000, 8);
  EXPECT_GT(length.turns_us(), 0);
  EXPECT_FALSE(length.end(5'000, 4));
  EXPECT_EQ(length.usual_turns_us(), 0);
  EXPECT_EQ(length.turns_us(), 0);
}

} // namespace
} // namespace hetmp::schedulers
