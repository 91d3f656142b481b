// What a run teaches the next one: it begins where the other ended, and loses no more than without lessons if they are
// of another problem.
#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

using Verdict = PlacementLesson::Verdict;

PlacementLessons lessons_of(const Program& program) {
  RegionPlacer placer;
  run_program(program, placer);
  return placer.lessons();
}

RunOfProgram run_again(const Program& program, const PlacementLessons& lessons, RegionPlacer& placer,
                       uint32_t seed = 2) {
  placer.recall(lessons);
  return run_program(program, placer, seed);
}

const Program gains{.cycle = {{.home_us = 10'000, .spread_us = 5'500, .move_us = 20'000}}, .cycles = 400};
const Program loses{.cycle = {{.home_us = 3'000, .spread_us = 12'000, .move_us = 2'000}}, .cycles = 1000};

TEST(Lessons, WhatGainedIsSpreadFromItsFirstVisitOn) {
  const PlacementLessons lessons = lessons_of(gains);
  ASSERT_EQ(lessons.regions.at(1).verdict, Verdict::Gains);
  EXPECT_NEAR(lessons.regions.at(1).home_us, 10'000, 500);
  EXPECT_NEAR(lessons.regions.at(1).spread_us, 5'500, 500);
  RegionPlacer placer;
  placer.recall(lessons);
  EXPECT_TRUE(placer.begin(1, 100, [] { return 1.0; }));
  EXPECT_EQ(placer.why(placer.regions().at(1), 100), PlacedBecause::Recalled);
  RegionPlacer second;
  const RunOfProgram run = run_again(gains, lessons, second);
  EXPECT_EQ(second.regions().at(1).home_visits, 0u);
  EXPECT_TRUE(second.regions().at(1).kept);
  EXPECT_LT(run.taken_us, 1.001 * run.spread_us);
  EXPECT_EQ(second.lost_us(), 0);
}

/// Of an origin with half of a CPU.
const Program lends{.cycle = {{.home_us = 10'000, .spread_us = 30'000, .lent_us = 5'200, .move_us = 20'000},
                              {.name = 2, .home_us = 2'000, .spread_us = 9'000, .lent_us = 1'100, .move_us = 1'000}},
                    .cycles = 400,
                    .home_speed = 0.5};

TEST(Lessons, WhatWasLentIsLentFromItsFirstVisitOn) {
  PlacementLessons lessons = lessons_of(lends);
  for (uint32_t age = 1; age <= 3; age++) {
    for (const uint64_t region : {1, 2})
      ASSERT_EQ(lessons.regions.at(region).verdict, Verdict::Lent);
    RegionPlacer placer;
    const RunOfProgram run = run_again(lends, lessons, placer, age);
    for (const uint64_t region : {1, 2})
      EXPECT_EQ(placer.regions().at(region).home_visits, 0u);
    EXPECT_EQ(placer.away(), Site::OtherNode);
    EXPECT_LT(run.taken_us, 1.01 * run.lent_us);
    EXPECT_EQ(placer.lost_us(), 0);
    lessons = placer.lessons();
    EXPECT_EQ(lessons.regions.at(1).age, age);
  }
}

TEST(Lessons, WhatWasLentIsNotLentByAnOriginThatHasItsCpus) {
  Program fast = lends;
  fast.home_speed = 1;
  fast.cycle[0].home_us /= 2, fast.cycle[1].home_us /= 2;
  RegionPlacer placer;
  run_again(fast, lessons_of(lends), placer);
  EXPECT_EQ(placer.regions().at(1).lent_visits, 0u);
  EXPECT_FALSE(placer.regions().at(1).kept);
}

TEST(Lessons, WhatWasLentIsComparedWithAllNodesOnce) {
  Program program = lends;
  program.cycle = {{.home_us = 10'000, .spread_us = 7'000, .lent_us = 5'200, .move_us = 1'000}};
  program.cycles = 1000;
  RegionPlacer first, second;
  run_program(program, first);
  ASSERT_EQ(first.trials(), 2u);
  const PlacementLessons lessons = first.lessons();
  EXPECT_TRUE(lessons.regions.at(1).compared);
  run_again(program, lessons, second);
  EXPECT_EQ(second.trials(), 1u);
  EXPECT_TRUE(second.lessons().regions.at(1).compared);
}

/// A run that knows that it gains does not go home for a moment's noise, although it has lasted for little then.
TEST(Lessons, OfWhatWasLentOutlastAMomentsNoise) {
  const PlacementLessons lessons = lessons_of(lends);
  RegionPlacer placer;
  placer.recall(lessons);
  double now_us = 30'000;
  for (int visit = 0; visit < 100; visit++) {
    placer.see_home(true, 0.5, now_us);
    const bool is_lent = placer.begin(1, now_us += 10, [] { return 1.0; });
    ASSERT_TRUE(is_lent) << visit;
    placer.end(now_us += visit < 6 ? 13'000 : 5'200, {.trips = 100});
  }
  EXPECT_TRUE(placer.regions().at(1).kept);
}

/// One visit of a region that is seldom met, and has far less to do than then.
TEST(Lessons, OfAShortRegionSendNobodyElseHome) {
  PlacementLessons lessons = lessons_of(lends);
  lessons.regions.at(2).kinds.at(0).spread_us = 9'000;
  RegionPlacer placer;
  placer.recall(lessons);
  double now_us = grown_us;
  const auto visit = [&](uint64_t region, double lent_us) {
    placer.see_home(true, 0.5, now_us);
    EXPECT_TRUE(placer.begin(region, now_us += 10, [] { return 1.0; }));
    placer.end(now_us += lent_us, {.trips = 100});
  };
  visit(2, 9'000);
  for (int i = 0; i < 40; i++)
    visit(1, 5'200);
  ASSERT_TRUE(placer.regions().at(1).kept);
  visit(2, 1'000);
  visit(1, 5'200);
}

/// A decomposition is at home at last, where its short visits are measured anew. The next run begins with long ones.
TEST(Lessons, OfADecompositionAreOfItsLongVisits) {
  Program program = lends;
  program.cycle = {{.home_us = 100'000, .spread_us = 300'000, .lent_us = 52'000, .move_us = 20'000}};
  program.cycle[0].rows = 100;
  program.cycles = 97;
  const PlacementLessons lessons = lessons_of(program);
  ASSERT_EQ(lessons.regions.at(1).verdict, Verdict::Lent);
  RegionPlacer first, second;
  const double before_us = run_program(program, first).taken_us;
  const RunOfProgram run = run_again(program, lessons, second);
  EXPECT_LT(run.taken_us, 0.95 * before_us);
  EXPECT_EQ(second.lessons().regions.at(1).verdict, Verdict::Lent);
}

/// What lies on all nodes at that moment was lent, and is in the next run.
TEST(Lessons, OfARunThatEndsInAComparisonAreOfWhatWasLent) {
  for (const bool gains_there : {false, true}) {
    RegionPlacer placer;
    double now_us = grown_us;
    for (int after = 0; after < 3;) {
      placer.see_home(true, 0.5, now_us);
      const bool is_away = placer.begin(1, now_us += 10, [] { return 1.0; });
      const bool compares = is_away && placer.away() == Site::AllNodes;
      ASSERT_TRUE(compares || after == 0);
      after += compares ? 1 : 0;
      placer.end(now_us += !is_away ? 10'000 : compares == gains_there ? 5'000 : 5'500, {.trips = 100});
    }
    const PlacementLesson lesson = placer.lessons().regions.at(1);
    EXPECT_EQ(lesson.verdict, Verdict::Lent);
    EXPECT_EQ(lesson.compared, !gains_there);
  }
}

TEST(Lessons, ArePassedOnByRunsThatLearnNothingNew) {
  PlacementLessons lessons = lessons_of(gains);
  const PlacementLesson first = lessons.regions.at(1);
  for (uint32_t run = 1; run <= oldest_lesson; run++) {
    RegionPlacer placer;
    run_again(gains, lessons, placer, run);
    lessons = placer.lessons();
    ASSERT_EQ(lessons.regions.at(1).verdict, Verdict::Gains) << run;
    ASSERT_EQ(lessons.regions.at(1).home_us, first.home_us) << run;
    ASSERT_EQ(lessons.regions.at(1).age, run);
  }
  RegionPlacer placer; // and then it is learned anew
  run_again(gains, lessons, placer);
  EXPECT_GE(placer.regions().at(1).home_visits, 3u);
  EXPECT_EQ(placer.lessons().regions.at(1).age, 0u);
}

TEST(Lessons, WhatLostIsNotTriedBeforeTheRunIsLonger) {
  const PlacementLessons lessons = lessons_of(loses);
  const PlacementLesson& lesson = lessons.regions.at(1);
  ASSERT_EQ(lesson.verdict, Verdict::Lost);
  RegionPlacer placer;
  placer.recall(lessons);
  double now_us = 0;
  bool spread = false;
  while (!spread && now_us < 2 * lesson.lost_until_us) {
    spread = placer.begin(1, now_us, [] { return 1.0; });
    if (spread) {
      EXPECT_GE(now_us, lesson.lost_until_us);
    }
    now_us += 3000;
    placer.end(now_us, {.trips = 100});
  }
  EXPECT_TRUE(spread);
}

TEST(Lessons, ThatSomethingLostSayNothingOfLargerProblems) {
  Program larger = gains;
  larger.cycle[0].home_us = 9'000, larger.cycle[0].spread_us = 5'000;
  const PlacementLessons lessons = lessons_of(loses);
  ASSERT_GT(lessons.regions.at(1).lost_until_us, 9'000 * 20);
  RegionPlacer placer;
  run_again(larger, lessons, placer);
  EXPECT_TRUE(placer.regions().at(1).kept);
  EXPECT_LE(placer.regions().at(1).home_visits, 35u) << "45 ms at worst, which fit the budget after 0.3 s";
}

TEST(Lessons, ThatSomethingLostSayNothingOfOtherTripCounts) {
  PlacementLessons lessons = lessons_of(loses);
  RegionPlacer same, other;
  run_again(loses, lessons, same);
  EXPECT_EQ(same.trials(), 0u);
  lessons.regions.at(1).kinds.at(0).trips = 7;
  run_again(loses, lessons, other);
  EXPECT_GE(other.trials(), 1u);
}

TEST(Lessons, OfTwoRunsThatDisagreeAreNone) {
  Program now_loses = gains;
  now_loses.cycle[0].spread_us = 25'000;
  RegionPlacer second, third;
  run_again(now_loses, lessons_of(gains), second);
  EXPECT_EQ(second.lessons().regions.at(1).verdict, Verdict::None);
  run_again(now_loses, second.lessons(), third);
  EXPECT_EQ(third.lessons().regions.at(1).verdict, Verdict::Lost);
}

TEST(Lessons, OfRunsThatMetTooLittleAreNone) {
  EXPECT_TRUE(lessons_of({.cycle = {{}}, .cycles = 2}).regions.empty());
  const PlacementLessons lessons = lessons_of({.cycle = {{.home_us = 50}}, .cycles = 10});
  EXPECT_EQ(lessons.regions.at(1).verdict, Verdict::None);
  EXPECT_EQ(lessons.between_us.size(), 1u);
}

/// The same program with another input: trip counts that nobody has seen.
TEST(Lessons, OfOtherTripCountsSendARegionHome) {
  RegionPlacer placer;
  placer.recall(lessons_of(gains));
  double now_us = 0;
  uint32_t spread_visits = 0;
  for (int visit = 0; visit < 20; visit++) {
    const bool spread = placer.begin(1, now_us, [] { return 1.0; });
    spread_visits += spread ? 1 : 0;
    now_us += spread ? 900 : 100;
    placer.end(now_us, {.trips = 7});
  }
  EXPECT_EQ(spread_visits, 1u);
  EXPECT_LT(placer.lessons().regions.at(1).home_us, 200);
}

/// What the earlier run has measured says nothing of another problem, also not of the visit that shows it to be one.
TEST(Lessons, OfOtherProblemsJudgeNothing) {
  RegionPlacer placer;
  placer.recall(lessons_of(gains));
  EXPECT_TRUE(placer.begin(1, 0, [] { return 1.0; }));
  placer.end(900, {.trips = 100});
  EXPECT_EQ(placer.regions().at(1).worst_slowdown, 0) << "what it takes at home is not known";
}

/// The same trip counts with far less behind each: no faster than at home, though faster than home was.
TEST(Lessons, OfLargerProblemsSendARegionHome) {
  RegionPlacer placer;
  placer.recall(lessons_of(gains));
  double now_us = 0;
  for (int visit = 0; visit < 3; visit++) {
    EXPECT_EQ(placer.begin(1, now_us, [] { return 1.0; }), visit == 0);
    now_us += visit == 0 ? 2'000 : 1'000;
    placer.end(now_us, {.trips = 100});
  }
  EXPECT_EQ(placer.regions().at(1).home.count(), 1u) << "of this run, without the visit that brings data home";
}

/// What gained loses in this run: the budget ends that.
TEST(Lessons, ThatDoNotHoldAreReversedWithinTheBudget) {
  Program changed = gains;
  changed.cycle[0].spread_us = 25'000;
  RegionPlacer placer;
  const RunOfProgram run = run_again(changed, lessons_of(gains), placer);
  EXPECT_FALSE(placer.regions().at(1).kept);
  EXPECT_LT(run.taken_us, 1.03 * run.home_us + 100'000 + 2 * run.worst_visit_us);
}

/// What was reversed is learned anew, by this run's own times.
TEST(Lessons, OfSmallerProblemsAreReplaced) {
  Program larger = gains;
  larger.cycle[0] = {.home_us = 40'000, .spread_us = 22'000, .move_us = 80'000};
  RegionPlacer placer;
  run_again(larger, lessons_of(gains), placer);
  EXPECT_NEAR(placer.lessons().regions.at(1).home_us, 40'000, 4'000);
}

TEST(Lessons, HoldNoMoreOnceARegionHasFarLessToDo) {
  Program shrinking = gains;
  shrinking.cycle[0].remains = 0.98;
  shrinking.cycle[0].meetings_us = 300;
  RegionPlacer placer;
  const RunOfProgram run = run_again(shrinking, lessons_of(gains), placer);
  EXPECT_FALSE(placer.regions().at(1).kept);
  EXPECT_LT(run.taken_us, run.home_us);
}

struct Allowed {
  double us = 0; ///< of a run
};
Allowed allowed(const Program& program, const RunOfProgram& run,
                const ExperimentBudget& budget = PlacementRules{}.budget) {
  double moves_us = 0;
  for (const ProgramRegion& region : program.cycle)
    moves_us += region.move_us;
  return {run.home_us * (1 + budget.share + 0.02) + budget.base_us + 2 * run.worst_visit_us + moves_us};
}

TEST(Lessons, SecondRunsStayWithinTheBudgetAndAreNoSlower) {
  std::mt19937 random(11);
  double first_us = 0, second_us = 0;
  uint32_t kept = 0, from_the_beginning = 0;
  for (uint32_t i = 0; i < 2000; i++) {
    const Program program = draw_program(random, 1000);
    RegionPlacer placer, again;
    const RunOfProgram first = run_program(program, placer, i);
    const RunOfProgram second = run_again(program, placer.lessons(), again, i + 1'000);
    ASSERT_LE(second.taken_us, allowed(program, second).us) << "program " << i;
    const auto gains_alone = [&](uint64_t name) { // else it may be kept with its neighbours, or not
      return program.cycle[name - 1].spread_us < program.cycle[name - 1].home_us;
    };
    for (const auto& [name, region] : placer.regions())
      if (region.kept && gains_alone(name)) {
        kept++;
        const auto& seen = again.regions().at(name); // at home, if at all, because its gain was doubted
        from_the_beginning += seen.home_visits <= seen.spread_visits / 10 ? 1 : 0;
      }
    first_us += first.taken_us / first.home_us;
    second_us += second.taken_us / second.home_us;
  }
  EXPECT_LT(second_us, first_us);
  EXPECT_GT(kept, 160u);
  EXPECT_GE(from_the_beginning, 0.9 * kept) << "of " << kept;
}

/// The same where regions can be lent.
TEST(Lessons, SecondRunsOfSlowOriginsStayWithinTheBudgetAndAreNoSlower) {
  std::mt19937 random(31);
  double first_us = 0, second_us = 0;
  uint32_t lent = 0, from_the_beginning = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    Program program = draw_program(random, 1000);
    let_some_be_lent(program, random);
    RegionPlacer placer, again;
    const RunOfProgram first = run_program(program, placer, i);
    const RunOfProgram second = run_again(program, placer.lessons(), again, i + 1'000);
    ASSERT_LE(second.taken_us, allowed(program, second, PlacementRules{}.lent_budget).us) << "program " << i;
    for (const auto& [name, region] : placer.regions())
      if (region.kept && placer.away() == Site::OtherNode) {
        lent++;
        from_the_beginning += again.regions().at(name).home_visits == 0 ? 1 : 0;
      }
    first_us += first.taken_us / first.home_us;
    second_us += second.taken_us / second.home_us;
  }
  EXPECT_LT(second_us, first_us);
  EXPECT_GT(lent, 100u);
  EXPECT_GE(from_the_beginning, 0.9 * lent) << "of " << lent;
}

/// Lessons of another problem, or of somebody who means ill. A region whose first visit shows that may lose that visit.
TEST(Lessons, OfAnotherProgramCostNoMoreThanTheBudget) {
  std::mt19937 random(13);
  for (uint32_t i = 0; i < 500; i++) {
    const Program program = draw_program(random, 1000), other = draw_program(random, 1000);
    RegionPlacer placer;
    const RunOfProgram run = run_again(program, lessons_of(other), placer, i);
    double first_visits_us = 0;
    for (const ProgramRegion& region : program.cycle)
      first_visits_us += std::max(0.0, region.spread_us - region.home_us) + 2 * region.move_us;
    ASSERT_LE(run.taken_us, allowed(program, run).us + first_visits_us) << "program " << i;
  }
}

} // namespace
} // namespace hetmp::schedulers
