// RegionPlacer on programs that are drawn: never above its budget, and close to the best fixed placement.
#include "schedulers/placement/region_placer.hpp"
#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

/// What it takes against what the budget allows, but for the one visit in hand and what it takes to bring data home.
double of_the_allowed(const Program& program, const RunOfProgram& run) {
  double moves_us = 0;
  for (const ProgramRegion& region : program.cycle)
    moves_us += region.move_us;
  const PlacementRules rules;
  const double allowed_us = run.home_us * (1 + rules.budget.share + 0.02) + rules.budget.base_us;
  return run.taken_us / (allowed_us + 2 * run.worst_visit_us + moves_us);
}

struct JudgedPrograms {
  int programs = 0;
  int above = 0;           ///< what is allowed
  double most = 0;         ///< of the allowed
  double mean_of_best = 0; ///< of what the better fixed placement takes, and what was taken
};

/// Of `seeds` times 1,000 random programs that `change` has changed.
template <class Change> JudgedPrograms judge_programs(int seeds, Change&& change) {
  constexpr int programs_of_seed = 1000;
  JudgedPrograms judged;
  for (int seed = 1; seed <= seeds; seed++) {
    std::mt19937 random(seed);
    for (int i = 0; i < programs_of_seed; i++) {
      Program program = draw_program(random, 3000);
      change(program, random);
      RegionPlacer placer;
      const RunOfProgram run = run_program(program, placer, uint32_t(i));
      const double ratio = of_the_allowed(program, run);
      judged.programs++;
      judged.above += ratio > 1;
      judged.most = std::max(judged.most, ratio);
      judged.mean_of_best += std::min(run.home_us, run.spread_us) / run.taken_us / (seeds * programs_of_seed);
    }
  }
  return judged;
}

TEST(RegionPlacer, RandomProgramsStayWithinTheBudget) {
  const JudgedPrograms judged = judge_programs(5, [](Program&, std::mt19937&) {});
  EXPECT_LE(judged.most, 1);
  EXPECT_GT(judged.mean_of_best, 0.95);
}

/// What a region takes at home is not known while it runs on several nodes. So one that has ever less to do there,
/// without that trips tell of it, may lose for a while before that is seen.
TEST(RegionPlacer, HardlyAnyProgramsThatShrinkExceedTheBudget) {
  const JudgedPrograms judged = judge_programs(10, let_some_shrink);
  EXPECT_LE(judged.most, 1.5);
  EXPECT_LE(judged.above, judged.programs / 500);
  EXPECT_GT(judged.mean_of_best, 0.95);
}

TEST(RegionPlacer, ProgramsThatDecomposeStayWithinTheBudget) {
  const JudgedPrograms judged = judge_programs(10, let_some_decompose);
  EXPECT_LE(judged.most, 1);
  EXPECT_GT(judged.mean_of_best, 0.95);
}

TEST(RegionPlacer, RandomProgramsWithPhasesStayWithinTheBudget) {
  std::mt19937 random(11);
  for (int i = 0; i < 1000; i++) {
    Program program = draw_program(random, 3000);
    let_some_have_phases(program, random);
    RegionPlacer placer;
    EXPECT_LE(of_the_allowed(program, run_program(program, placer, uint32_t(i))), 1) << i;
  }
}

} // namespace
} // namespace hetmp::schedulers
