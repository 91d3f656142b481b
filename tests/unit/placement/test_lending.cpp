// Regions that are lent: all of their threads on one other node, where the origin is denied its CPUs.
#include "runtime/regions/region_plan.hpp"
#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

constexpr double half = 0.5;

/// Of an origin with half of a CPU.
Program slow_at_home(const ProgramRegion& region, uint32_t cycles = 400) {
  return {.cycle = {region}, .cycles = cycles, .home_speed = half};
}

TEST(Lending, WhatASlowOriginWouldExecuteIsLent) {
  Program program = slow_at_home({.home_us = 10'000, .spread_us = 30'000, .lent_us = 5'200, .move_us = 20'000});
  program.resident_mib = 40; // to go there, and to come back
  RegionPlacer placer;
  const RunOfProgram run = run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::OtherNode);
  EXPECT_LE(placer.trials(), 2u);
  EXPECT_LT(run.taken_us, 1.15 * run.lent_us);
}

TEST(Lending, NothingIsLentByAnOriginThatHasItsCpus) {
  Program program = slow_at_home({.home_us = 10'000, .spread_us = 5'500, .lent_us = 5'200, .move_us = 1'000});
  program.home_speed = 0.9;
  RegionPlacer placer;
  run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::AllNodes);
}

TEST(Lending, ALargerNodeIsLentTo) {
  const Program program{.cycle = {{.home_us = 10'000, .spread_us = 30'000, .lent_us = 2'600}}, .cycles = 400};
  PlacementRules rules;
  rules.cpus_there = 4;
  rules.all_cpus = 5;
  RegionPlacer placer(rules);
  run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::OtherNode);
}

TEST(Lending, WhatLosesThereIsTriedOnAllNodesNext) {
  const Program program =
      slow_at_home({.home_us = 10'000, .spread_us = 5'500, .lent_us = 22'000, .move_us = 1'000}, 1000);
  RegionPlacer placer;
  run_program(program, placer);
  EXPECT_EQ(placer.trials(), 2u);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::AllNodes);
}

/// Of two ways that gain, the better one.
TEST(Lending, WhatIsLentIsComparedWithAllNodes) {
  RegionPlacer placer;
  const RunOfProgram run = run_program(
      slow_at_home({.home_us = 10'000, .spread_us = 3'500, .lent_us = 5'200, .move_us = 1'000}, 1000), placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_GT(placer.regions().at(1).lent_visits, 0u);
  EXPECT_EQ(placer.away(), Site::AllNodes);
  EXPECT_LT(run.taken_us, 1.15 * run.spread_us);
}

/// The budget for trials on all nodes could not pay for that: what is gained can.
TEST(Lending, LongVisitsAreComparedFromTheirGains) {
  RegionPlacer placer;
  run_program(slow_at_home({.home_us = 50'000, .spread_us = 17'000, .lent_us = 26'000, .move_us = 40'000}, 200),
              placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::AllNodes);
}

TEST(Lending, WhatAComparisonLosesIsOfTheGains) {
  RegionPlacer placer;
  const RunOfProgram run = run_program(
      slow_at_home({.home_us = 50'000, .spread_us = 60'000, .lent_us = 26'000, .move_us = 40'000}, 200), placer);
  EXPECT_EQ(placer.trials(), 2u);
  EXPECT_EQ(placer.away(), Site::OtherNode);
  EXPECT_LT(placer.lost_us(), 1000) << "of the budget";
  EXPECT_LT(run.taken_us, 1.15 * run.lent_us);
}

/// Visits of a decomposition are of ever new kinds: those of the comparison have never been lent.
TEST(Lending, ADecompositionIsComparedWithWhatIsLent) {
  RegionPlacer placer;
  ProgramRegion region{.home_us = 200'000, .spread_us = 140'000, .lent_us = 105'000, .move_us = 10'000};
  region.rows = 40;
  run_program(slow_at_home(region, 30), placer);
  EXPECT_EQ(placer.trials(), 2u);
  EXPECT_EQ(placer.away(), Site::OtherNode);
}

/// Of five visits in all, each one that a slow origin executes counts.
TEST(Lending, LongVisitsAreLentSoon) {
  RegionPlacer placer;
  run_program(slow_at_home({.home_us = 300'000, .spread_us = 500'000, .lent_us = 155'000}, 5), placer);
  EXPECT_EQ(placer.regions().at(1).lent_visits, 3u);
}

TEST(Lending, WhatIsBetterLentGoesBackOnce) {
  RegionPlacer placer;
  const RunOfProgram run = run_program(
      slow_at_home({.home_us = 10'000, .spread_us = 7'000, .lent_us = 5'200, .move_us = 1'000}, 1000), placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_EQ(placer.away(), Site::OtherNode);
  EXPECT_EQ(placer.trials(), 2u);
  EXPECT_EQ(placer.regions().at(1).excluded_until_us, 0) << "it has not lost against home";
  EXPECT_LT(run.taken_us, 1.1 * run.lent_us);
}

/// A phase in which all nodes were better, for as long as they were compared and some time after that. A second region
/// is met when they are there.
TEST(Lending, WhatWasBetterLentIsLentAgain) {
  RegionPlacer placer;
  double now_us = grown_us;
  int on_all_nodes = 0, lent_again = 0, joined = 0;
  for (int visit = 0; visit < 2000; visit++) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    const bool is_lent = is_away && placer.away() == Site::OtherNode;
    on_all_nodes += is_away && !is_lent ? 1 : 0;
    lent_again += is_lent && on_all_nodes > 0 ? 1 : 0;
    const double on_all_nodes_us = on_all_nodes < 200 ? 4'000 : 6'500;
    placer.end(now_us += is_lent ? 5'500 : is_away ? on_all_nodes_us : 10'000, {.trips = 100});
    if (on_all_nodes < 50 || lent_again > 0)
      continue;
    const bool joins = placer.begin(2, now_us += 10, [] { return 1.0; });
    ASSERT_TRUE(!joins || placer.away() == Site::AllNodes || placer.regions().at(2).lent_visits == 0);
    joined += joins ? 1 : 0;
    placer.end(now_us += joins ? on_all_nodes_us : 10'000, {.trips = 100});
  }
  EXPECT_GT(on_all_nodes, 200);
  EXPECT_GT(joined, 50);
  EXPECT_GT(lent_again, 1000);
  EXPECT_FALSE(placer.regions().at(2).kept);
}

TEST(Lending, EndsAlsoWhileItIsCompared) {
  RegionPlacer placer;
  double now_us = grown_us;
  bool compares = false;
  for (int visit = 0; visit < 1000 && !compares; visit++) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    compares = is_away && placer.away() == Site::AllNodes;
    placer.end(now_us += is_away ? 5'000 : 10'000, {.trips = 100});
  }
  ASSERT_TRUE(compares);
  placer.see_home(false, half, now_us);
  EXPECT_FALSE(placer.begin(1, now_us, [] { return 1.0; }));
}

/// Messages are the only thing that all of these cost on several nodes, and there are none on one.
TEST(Lending, WhatSynchronisesMayBeLent) {
  RegionPlacer placer;
  run_program(slow_at_home({.home_us = 10'000, .spread_us = 30'000, .lent_us = 5'200, .exchanges = 1000}), placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
}

/// A short region that uses the same data would fetch it back each time.
TEST(Lending, WhatIsShortGoesAlong) {
  Program program = slow_at_home({.home_us = 10'000, .spread_us = 30'000, .lent_us = 5'200});
  program.cycle.push_back({.name = 2, .home_us = 200, .spread_us = 400, .lent_us = 150});
  RegionPlacer placer;
  run_program(program, placer);
  EXPECT_TRUE(placer.regions().at(2).kept);
}

/// Visits of one region, `visits` of them, which tell that they are bound to their process from one of them on. How
/// many were lent.
uint32_t lent_visits(RegionPlacer& placer, uint32_t visits, uint32_t bound_from) {
  double now_us = grown_us;
  for (uint32_t visit = 0; visit < visits; visit++) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    placer.end(now_us += is_away && placer.away() == Site::OtherNode ? 5'000 : 10'000,
               {.trips = 100, .bound = visit >= bound_from});
  }
  return placer.regions().at(1).lent_visits;
}

TEST(Lending, WhatIsBoundToItsProcessIsNotLent) {
  RegionPlacer placer;
  EXPECT_EQ(lent_visits(placer, 100, 0), 0u);
  EXPECT_GE(placer.trials(), 1u) << "on all nodes, where its first thread stays at home";
  EXPECT_TRUE(placer.regions().at(1).bound);
}

TEST(Lending, WhatTurnsOutToBeBoundGoesHome) {
  for (const uint32_t bound_from : {10u, 60u}) { // in the trial, and when it is kept
    RegionPlacer placer;
    const uint32_t lent = lent_visits(placer, 200, bound_from);
    EXPECT_GT(lent, 0u);
    EXPECT_LE(lent, bound_from + 1) << "the visit that told it was the last";
  }
}

/// On another node nobody keeps turns short. That they are at home is learned, and may turn out to be wrong.
TEST(Lending, WhatHasShortTurnsIsNotLentWhileItHas) {
  RegionPlacer placer;
  double now_us = grown_us;
  const auto visit = [&](bool short_turns) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    const bool is_lent = is_away && placer.away() == Site::OtherNode;
    placer.end(now_us += is_lent ? 5'000 : 10'000, {.trips = 100, .short_turns = short_turns});
    return is_lent;
  };
  for (int i = 0; i < 40; i++)
    ASSERT_FALSE(visit(true));
  int lent = 0;
  for (int i = 0; i < 400; i++)
    lent += visit(false) ? 1 : 0;
  EXPECT_GT(lent, 0);
}

TEST(Lending, EndsWhereNobodyNoticesAnyMore) {
  for (const uint32_t visits : {10u, 60u}) {
    RegionPlacer placer;
    ASSERT_GT(lent_visits(placer, visits, visits), 0u);
    double now_us = 60e6;
    placer.see_home(false, half, now_us);
    EXPECT_FALSE(placer.begin(1, now_us, [] { return 1.0; }));
    placer.end(now_us += 10'000, {.trips = 100});
    EXPECT_EQ(placer.away(), Site::AllNodes);
  }
}

/// What an earlier run has kept on all nodes is not tried there while others are lent: all that is away is in one
/// place.
TEST(Lending, WhatIsRecalledStaysAtHomeWhileOthersAreLent) {
  PlacementLessons lessons;
  lessons.regions[2] = {.verdict = PlacementLesson::Verdict::Gains, .home_us = 10'000, .spread_us = 5'000, .kinds = {}};
  RegionPlacer placer;
  placer.recall(lessons);
  double now_us = grown_us;
  while (!placer.regions().contains(1) || !placer.regions().at(1).kept) {
    ASSERT_LT(now_us, 2 * grown_us);
    placer.see_home(true, half, now_us);
    const bool is_lent = placer.begin(1, now_us += 10, [] { return 1.0; });
    placer.end(now_us += is_lent ? 5'000 : 10'000, {.trips = 100});
  }
  ASSERT_EQ(placer.away(), Site::OtherNode);
  EXPECT_FALSE(placer.begin(2, now_us += 10, [] { return 1.0; }));
  placer.end(now_us += 10'000, {.trips = 100});
  EXPECT_TRUE(placer.begin(1, now_us += 10, [] { return 1.0; }));
  EXPECT_EQ(placer.away(), Site::OtherNode);
}

/// Once it is there it gains, and to bring it home would take as long again.
TEST(Lending, WhatTakesLongToMoveIsNotBroughtHomeForThat) {
  RegionPlacer placer;
  const RunOfProgram run = run_program(
      slow_at_home({.home_us = 60'000, .spread_us = 90'000, .lent_us = 31'000, .move_us = 200'000}, 60), placer);
  EXPECT_EQ(placer.regions().at(1).trials_lost, 0u);
  EXPECT_EQ(placer.away(), Site::OtherNode);
  EXPECT_LT(run.taken_us, 0.8 * run.home_us);
}

/// Whether a region of 80 MiB whose stays have waited so long for each page is lent within so many visits.
bool is_lent(double fetching_us, int visits) {
  RegionPlacer placer;
  double now_us = grown_us;
  for (int visit = 0; visit < visits; visit++) {
    placer.see_home(true, half, now_us);
    if (placer.begin(1, now_us += 10, [] { return 80.0; }))
      return true;
    placer.end(now_us += 100'000, {.trips = 100, .fetching_us = fetching_us});
  }
  return false;
}

TEST(Lending, WhereStaysHaveFetchedSlowlyMoreIsFeared) {
  EXPECT_TRUE(is_lent(0, 10));
  EXPECT_TRUE(is_lent(5, 10));
  EXPECT_FALSE(is_lent(60, 10)) << "most of a second";
  EXPECT_TRUE(is_lent(60, 100)) << "a run of ten seconds may lose so much";
}

/// Whether a region is lent that journeys have disturbed each time, as in a program without another region.
bool is_lent_beside_journeys(double gained_us) {
  RegionPlacer placer;
  double now_us = grown_us;
  for (int visit = 0; visit < 10; visit++) {
    placer.see_home(true, half, now_us);
    if (placer.begin(1, now_us += 10, [] { return 1.0; }))
      return placer.away() == Site::OtherNode;
    placer.end(now_us += 200'000, {.trips = 100, .disturbed = true, .gains_elsewhere = true, .gained_us = gained_us});
  }
  return false;
}

TEST(Lending, WhatHasNeverBeenQuietIsKnownByItsGains) {
  EXPECT_TRUE(is_lent_beside_journeys(20'000)) << "110 ms, as against 200";
  EXPECT_FALSE(is_lent_beside_journeys(250'000)) << "225 ms, as against 200";
}

/// Noise has sent it home, and on all nodes it would synchronise too often: that is not the end of it.
TEST(Lending, WhatLostOnceIsLentAgainWhereAllNodesWouldNotDo) {
  RegionPlacer placer;
  double now_us = grown_us;
  int lent = 0;
  for (int visit = 0; visit < 100; visit++) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    ASSERT_TRUE(!is_away || placer.away() == Site::OtherNode);
    lent += is_away ? 1 : 0;
    placer.end(now_us += !is_away ? 100'000 : lent < 8 ? 120'000 : 52'000, {.trips = 100, .exchanges = 1000});
  }
  EXPECT_EQ(placer.regions().at(1).trials_lost, 1u);
  EXPECT_TRUE(placer.regions().at(1).kept);
}

/// What visits at home have taken by chance is not usual there: what they would have taken is.
TEST(Lending, IsJudgedByWhatVisitsAtHomeWouldTakeEvenly) {
  RegionPlacer placer;
  double now_us = grown_us;
  for (int visit = 0; visit < 100; visit++) {
    placer.see_home(true, half, now_us);
    const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
    placer.end(now_us += is_away ? 5'500 : 5'000, {.trips = 100, .exchanges = 1000, .evenly_us = 10'000});
  }
  EXPECT_TRUE(placer.regions().at(1).kept);
}

/// What the budget allows where something could be lent, but for the visit in hand and what it takes to bring data
/// home.
TEST(Lending, RandomProgramsStayWithinTheBudget) {
  std::mt19937 random(21);
  double mean_of_best = 0;
  constexpr int programs = 2000;
  for (int i = 0; i < programs; i++) {
    Program program = draw_program(random, 3000);
    let_some_be_lent(program, random);
    double moves_us = 0;
    for (const ProgramRegion& region : program.cycle)
      moves_us += region.move_us;
    RegionPlacer placer;
    const RunOfProgram run = run_program(program, placer, uint32_t(i));
    const ExperimentBudget budget = PlacementRules{}.lent_budget;
    EXPECT_LE(run.taken_us,
              run.home_us * (1 + budget.share + 0.02) + budget.base_us + 2 * run.worst_visit_us + moves_us)
        << i;
    mean_of_best += std::min({run.home_us, run.spread_us, run.lent_us}) / run.taken_us / programs;
  }
  EXPECT_GT(mean_of_best, 0.8);
}

} // namespace
} // namespace hetmp::schedulers

namespace hetmp::runtime {
namespace {

TEST(Lending, ThePlanHasNobodyAtHome) {
  const RegionPlan plan = lend(4, 1);
  EXPECT_TRUE(plan.is_lent());
  EXPECT_FALSE(plan.stays_here());
  EXPECT_FALSE(plan.spreads());
  EXPECT_EQ(plan.local_threads(), 0u);
  EXPECT_EQ(plan.threads, 4u);
  EXPECT_TRUE(stay_here(4, StaysHere::PaysHere).stays_here());
}

} // namespace
} // namespace hetmp::runtime
