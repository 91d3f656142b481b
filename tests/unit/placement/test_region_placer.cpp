#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

TEST(RegionPlacer, StartsAtHome) {
  RegionPlacer placer;
  EXPECT_FALSE(placer.begin(1, 1000, [] { return 1.0; }));
  EXPECT_EQ(placer.why(placer.regions().at(1), 1000), PlacedBecause::Unknown);
}

TEST(RegionPlacer, WhatGainsIsKept) {
  const Program program{.cycle = {{.home_us = 10'000, .spread_us = 5'500, .move_us = 20'000}}, .cycles = 400};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_LT(run.taken_us, 1.1 * run.spread_us);
}

TEST(RegionPlacer, WhatLosesGoesHome) {
  const Program program{.cycle = {{.home_us = 3'000, .spread_us = 12'000, .move_us = 2'000}}, .cycles = 1000};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_FALSE(placer.regions().at(1).kept);
  EXPECT_GE(placer.trials(), 1u);
  EXPECT_LT(run.taken_us, 1.03 * run.home_us + 100'000 + run.worst_visit_us);
}

TEST(RegionPlacer, VisitsThatMayCostTooMuchWait) {
  const Program program{.cycle = {{.home_us = 100'000, .spread_us = 50'000}}, .cycles = 40};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_EQ(placer.trials(), 0u); // 0.5 s at worst, which 3 % of 4 s and 0.1 s do not cover
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::NoBudget);
  EXPECT_GT(placer.last_refusal().worst_us, 400'000);
}

/// Journeys of a region with short visits would fetch the same data, thread by thread, and take the budget of its
/// trial.
TEST(RegionPlacer, WhatATrialWillTellIsLeftToIt) {
  RegionPlacer placer;
  const ProgramRegion region{.home_us = 22'000, .spread_us = 12'000};
  const RunOfProgram run = run_program({.cycle = {region}, .cycles = 5, .resident_mib = 200}, placer);
  EXPECT_EQ(placer.trials(), 0u) << "it does not fit the budget yet";
  EXPECT_TRUE(placer.is_for_trials(placer.regions().at(1), run.taken_us));
}

TEST(RegionPlacer, WhatATrialHasToldIsNotAskedOfJourneys) {
  const Program program{.cycle = {{.home_us = 3'000, .spread_us = 12'000}}, .cycles = 100};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::Lost);
  EXPECT_TRUE(placer.is_for_trials(placer.regions().at(1), run.taken_us));
}

/// The longest visit bounds what a trial may cost; one that was long because pages were elsewhere says nothing of that.
TEST(RegionPlacer, VisitsThatJourneysDisturbDoNotCountAsLong) {
  RegionPlacer placer;
  double now_us = grown_us;
  bool is_spread = false;
  for (int visit = 0; visit < 8 && !is_spread; visit++) {
    is_spread = placer.begin(1, now_us, [] { return 1.0; });
    const bool disturbed = visit == 2;
    now_us += disturbed ? 60'000 : 5'000; // five times that would not fit
    placer.end(now_us, {.trips = 100, .disturbed = disturbed});
  }
  EXPECT_TRUE(is_spread);
}

/// A first visit that finds new memory says little of those to come.
TEST(RegionPlacer, FirstVisitsDoNotCountAsLongForEver) {
  const auto tried_after_us = [](double first_us) {
    RegionPlacer placer;
    double now_us = grown_us, begun_us = 0;
    for (int visit = 0; !placer.begin(1, now_us, [] { return 1.0; }); visit++) {
      now_us += visit == 0 ? first_us : 5'000;
      begun_us = visit == 0 ? now_us : begun_us;
      placer.end(now_us, {.trips = 100});
    }
    return now_us - begun_us;
  };
  EXPECT_LT(tried_after_us(5'000), 50'000);
  EXPECT_LT(tried_after_us(30'000), 5 * 30'000) << "which six times as long would not fit the budget for 1.7 s";
  EXPECT_GT(tried_after_us(1'000'000), 1'000'000);
}

/// Preparations that took long say nothing of what comes after them.
TEST(RegionPlacer, SharesAreOfTheTimeSinceRegionsAreMet) {
  RegionPlacer placer;
  double now_us = 60e6;
  while (!placer.begin(1, now_us, [] { return 1.0; }) && now_us < 61e6)
    placer.end(now_us += 5'000, {.trips = 100});
  EXPECT_LT(now_us, 60.1e6);
}

/// A run that ends soon gains nothing by a trial.
TEST(RegionPlacer, RegionsLastAsLongAsTheirTrialMayLose) {
  RegionPlacer placer;
  double now_us = 10e6;
  while (!placer.begin(1, now_us, [] { return 1000.0; }))
    placer.end(now_us += 20'000, {.trips = 100});
  const double worst_us = 5 * 20'000 + 40 * PlacementRules{}.bring_us_per_mib; // of 80 MiB that 20 ms can touch
  EXPECT_NEAR(now_us - 10e6, worst_us, 20'000);
}

TEST(RegionPlacer, WhatLosesBeyondDoubtGoesHomeSoon) {
  const auto spread_visits = [](double spread_us) {
    RegionPlacer placer;
    double now_us = grown_us;
    while (!placer.regions().contains(1) || placer.regions().at(1).trials_lost == 0) {
      const bool spread = placer.begin(1, now_us, [] { return 1.0; });
      placer.end(now_us += spread ? spread_us : 1'000, {.trips = 100});
    }
    return placer.regions().at(1).spread_visits;
  };
  EXPECT_EQ(spread_visits(3'000), 1 + PlacementRules{}.visits_to_judge) << "the first one moves data";
  EXPECT_GT(spread_visits(1'500), 20u);
}

TEST(RegionPlacer, WhatLostIsTriedAgainWhenTheLossIsSmall) {
  RegionPlacer placer;
  double now_us = 0, reversed_us = 0, before_us = 0;
  while (reversed_us == 0) {
    const bool spread = placer.begin(1, now_us, [] { return 1.0; });
    before_us = spread && before_us == 0 ? now_us : before_us;
    now_us += spread ? 14'000 : 4'000;
    placer.end(now_us, {.trips = 100});
    if (placer.regions().at(1).trials_lost != 0)
      reversed_us = now_us;
  }
  const double until_us = placer.regions().at(1).excluded_until_us;
  EXPECT_GE(until_us - reversed_us, 0.7 * (reversed_us - before_us) / PlacementRules{}.loss_again);
}

/// What journeys have shown to gain is not feared as what nobody knows is.
TEST(RegionPlacer, RegionsWhoseThreadsGainElsewhereAreTriedSooner) {
  const auto tried_after_us = [](bool gains_elsewhere) {
    RegionPlacer placer;
    double now_us = 0;
    while (!placer.begin(1, now_us, [] { return 1.0; })) {
      now_us += 300'000;
      placer.end(now_us, {.trips = 100, .disturbed = gains_elsewhere, .gains_elsewhere = gains_elsewhere});
    }
    return now_us;
  };
  EXPECT_LT(tried_after_us(true), 10e6);
  EXPECT_GT(tried_after_us(false), 40e6) << "five times the visit, as 3 % of the run";
}

/// A region that has been kept, and then takes what is said of each visit.
struct Kept {
  RegionPlacer placer;
  double now_us = 0;
  static constexpr double home_us = 10'000;

  Kept() {
    while (!is_kept() && now_us < 1e7)
      visit(home_us * 0.7);
  }
  bool is_kept() const { return placer.regions().contains(1) && placer.regions().at(1).kept; }
  void visit(double spread_us) {
    const bool spread = placer.begin(1, now_us += 100, [] { return 1.0; });
    now_us += spread ? spread_us : home_us;
    placer.end(now_us, {.trips = 100});
  }
  /// Whether it stays on several nodes for so much time.
  bool lasts(double for_us, double spread_us) {
    for (const double until_us = now_us + for_us; now_us < until_us && is_kept();)
      visit(spread_us);
    return is_kept();
  }
};

TEST(RegionPlacer, PhasesThatLoseAreSetAgainstWhatWasGained) {
  Kept program;
  for (int phase = 0; phase < 8; phase++) {
    ASSERT_TRUE(program.lasts(1'000'000, 7'000)) << phase;
    ASSERT_TRUE(program.lasts(400'000, 11'500)) << phase;
  }
  EXPECT_EQ(program.placer.lost_us(), 0);
}

TEST(RegionPlacer, WhatLosesMoreThanHalfOfWhatItGainedGoesHome) {
  Kept program;
  ASSERT_TRUE(program.lasts(1'000'000, 7'000)); // gains some 0.4 s
  EXPECT_FALSE(program.lasts(1'500'000, 20'000));
}

TEST(RegionPlacer, WhatLosesForGoodGoesHomeWhateverItGained) {
  Kept program;
  ASSERT_TRUE(program.lasts(10'000'000, 7'000));
  const double share = program.placer.rules().watched_share * (program.placer.rules().most_losing_windows + 1);
  EXPECT_FALSE(program.lasts(2 * share * program.now_us, 10'500));
}

TEST(RegionPlacer, WaitsWhileOtherExperimentsHaveTakenTheBudget) {
  const Program program{.cycle = {{.home_us = 10'000, .spread_us = 5'500, .move_us = 20'000}}, .cycles = 400};
  RegionPlacer placer;
  placer.share_budget(1e6);
  run_program(program, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.committed_us(), 0);
  EXPECT_TRUE(placer.last_refusal().known);
}

TEST(RegionPlacer, ShortRegionsStay) {
  RegionPlacer placer;
  const RunOfProgram run = run_program({.cycle = {{.home_us = 50, .spread_us = 30}}, .cycles = 10'000}, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::TooShort);
}

/// Threads that are elsewhere would come home for what nodes would meet at.
TEST(RegionPlacer, WhatMeetsOftenIsNotLeftToJourneys) {
  RegionPlacer placer;
  const RunOfProgram run =
      run_program({.cycle = {{.home_us = 5000, .spread_us = 3000, .exchanges = 100}}, .cycles = 10}, placer);
  EXPECT_TRUE(placer.is_for_trials(placer.regions().at(1), run.taken_us));
}

TEST(RegionPlacer, RegionsThatMeetOftenStay) {
  RegionPlacer placer;
  const RunOfProgram run =
      run_program({.cycle = {{.home_us = 5000, .spread_us = 3000, .exchanges = 100}}, .cycles = 1000}, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::Synchronises);
}

TEST(RegionPlacer, RegionsThatAreLittleOfTheRunStay) {
  RegionPlacer placer;
  const RunOfProgram run =
      run_program({.cycle = {{.home_us = 1000, .spread_us = 600}}, .cycles = 1000, .serial_us = 20'000}, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::TooLittle);
  EXPECT_LT(placer.last_refusal().share, placer.rules().least_share);
}

/// What is short but lies between those that are tried is tried with them: at home it would fetch their data each time.
TEST(RegionPlacer, WhatLiesBetweenIsTriedAsWell) {
  RegionPlacer placer;
  double now_us = grown_us;
  const auto visit = [&](uint64_t region, double home_us) {
    const bool spread = placer.begin(region, now_us += 10, [] { return 1.0; });
    placer.end(now_us += spread ? 0.6 * home_us : home_us, {.trips = 100});
    return spread;
  };
  bool spread = false;
  for (int cycle = 0; cycle < 20 && !spread; cycle++) {
    spread = visit(1, 10'000);
    EXPECT_EQ(visit(2, 500), spread) << cycle;
    EXPECT_FALSE(visit(3, 100)) << "a meeting of nodes takes as long";
  }
  EXPECT_TRUE(spread);
}

/// Most visits of a multigrid's region are short, those of its coarse levels; the time is spent on the fine ones.
TEST(RegionPlacer, WhatIsShortNowAndLongThenIsTried) {
  RegionPlacer placer;
  double now_us = 0;
  int levels = 0;
  for (; placer.trials() == 0 && levels < 1000; levels++) {
    const bool is_finest = levels % 20 == 0;
    placer.begin(1, now_us += 10, [] { return 1.0; });
    placer.end(now_us += is_finest ? 15'000 : 20, {.trips = 100});
  }
  EXPECT_EQ(placer.trials(), 1u);
}

/// One region gains, another loses: after a first trial with both, the one that gains is tried alone.
TEST(RegionPlacer, RegionsThatLoseDoNotKeepOthersHome) {
  const Program program{.cycle = {{.name = 1, .home_us = 4000, .spread_us = 2200, .move_us = 500},
                                  {.name = 2, .home_us = 4000, .spread_us = 9000, .move_us = 500}},
                        .cycles = 2000};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_FALSE(placer.regions().at(2).kept);
  EXPECT_LT(run.taken_us, 0.85 * run.home_us);
}

/// What was kept turns out to lose: its data moves all the time from now on.
TEST(RegionPlacer, WhatIsKeptIsWatched) {
  RegionPlacer placer;
  Program program{.cycle = {{.home_us = 5000, .spread_us = 2700, .move_us = 500}}, .cycles = 400};
  const RunOfProgram before = run_program(program, placer);
  ASSERT_TRUE(placer.regions().at(1).kept);
  double now_us = before.taken_us;
  uint32_t spread_visits = 0;
  for (int visit = 0; visit < 1000; visit++) {
    const bool spread = placer.begin(1, now_us, [] { return 1.0; });
    spread_visits += spread ? 1 : 0;
    now_us += spread ? 20'000 : 5000;
    placer.end(now_us, {.trips = 100});
    now_us += 100;
  }
  EXPECT_FALSE(placer.regions().at(1).kept);
  EXPECT_LT(spread_visits, 150u);
}

/// Regions that come later are known later, and join those that are kept.
TEST(RegionPlacer, WhatIsKeptForItsFirstVisitsIsDoubted) {
  Program program{.cycle = {{.home_us = 1000, .spread_us = 1200, .move_us = 500, .first_us = 600, .first_visits = 4}},
                  .cycles = 10'000};
  RegionPlacer placer;
  RunOfProgram run = run_program(program, placer);
  EXPECT_GE(placer.trials(), 2u) << "it seemed to gain";
  EXPECT_FALSE(placer.regions().at(1).kept);
  EXPECT_LT(run.taken_us, 1.01 * run.home_us + 100'000);
  program.cycle[0].spread_us = 850; // gains little, but it does
  RegionPlacer another;
  run = run_program(program, another);
  EXPECT_TRUE(another.regions().at(1).kept);
  EXPECT_LT(run.taken_us, 0.9 * run.home_us);
}

TEST(RegionPlacer, WhatHasEverLessToDoIsNotTried) {
  const ProgramRegion shrinking{.home_us = 20'000, .spread_us = 19'000, .move_us = 0, .remains = 0.99};
  RegionPlacer placer; // what it may fetch does not fit the budget of its first visits
  const RunOfProgram run =
      run_program({.cycle = {shrinking}, .cycles = 300, .serial_us = 8'000, .resident_mib = 1000}, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::Changes);
}

TEST(RegionPlacer, WhatIsAnotherOnEachVisitIsNotTried) {
  const Program program{.cycle = {{.home_us = 10'000, .spread_us = 9'000, .is_another = true}}, .cycles = 200};
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_EQ(placer.trials(), 0u);
  EXPECT_EQ(placer.why(placer.regions().at(1), run.taken_us), PlacedBecause::Changes);
}

TEST(RegionPlacer, WhatIsKeptAndHasEverLessToDoIsMeasuredAnew) {
  const ProgramRegion shrinking{
      .home_us = 10'000, .spread_us = 5'500, .move_us = 2'000, .remains = 0.997, .meetings_us = 700};
  RegionPlacer placer;
  const RunOfProgram run = run_program({.cycle = {shrinking}, .cycles = 2000}, placer);
  const RegionPlacer::Region& region = placer.regions().at(1);
  EXPECT_GE(placer.trials(), 2u);
  EXPECT_FALSE(region.kept);
  EXPECT_LT(run.taken_us, 0.85 * run.home_us);
  EXPECT_LT(run.taken_us, 0.9 * run.spread_us);
}

/// It is a tenth of what is kept: the rest need not be measured anew for it.
TEST(RegionPlacer, WhatIsShortAndHasEverLessToDoStaysWithTheRest) {
  const ProgramRegion heavy{.home_us = 10'000, .spread_us = 5'500},
      shrinking{.name = 2, .home_us = 1000, .remains = 0.997};
  RegionPlacer placer;
  run_program({.cycle = {heavy, shrinking}, .cycles = 2000}, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.trials(), 1u);
}

/// A row less to do on each visit: the visits before tell what it would take at home.
TEST(RegionPlacer, DecompositionsOfMatricesAreTried) {
  const ProgramRegion decomposes{
      .home_us = 10'000, .spread_us = 5'500, .move_us = 2'000, .meetings_us = 300, .rows = 1500};
  RegionPlacer placer;
  const RunOfProgram run = run_program({.cycle = {decomposes}, .cycles = 1499}, placer);
  EXPECT_GE(placer.trials(), 1u);
  EXPECT_LT(run.taken_us, 0.8 * run.home_us);
  Program losing{.cycle = {decomposes}, .cycles = 1499};
  losing.cycle[0].spread_us = 10'500;
  RegionPlacer another;
  EXPECT_LT(run_program(losing, another).taken_us, 1.03 * run.home_us);
  EXPECT_FALSE(another.regions().at(1).kept);
}

TEST(RegionPlacer, LaterPhasesAreTriedToo) {
  RegionPlacer placer;
  double now_us = 0;
  const auto phase = [&](uint64_t region, int visits) {
    uint32_t spread_visits = 0;
    for (int visit = 0; visit < visits; visit++) {
      const bool spread = placer.begin(region, now_us, [] { return 1.0; });
      spread_visits += spread ? 1 : 0;
      now_us += spread ? 2700 : 5000;
      placer.end(now_us, {.trips = 100});
      now_us += 10;
    }
    return spread_visits;
  };
  EXPECT_GT(phase(1, 500), 400u);
  EXPECT_GT(phase(2, 1500), 1000u);
}

} // namespace
} // namespace hetmp::schedulers
