// Where the loops of a program run best as a whole.
#include "schedulers/together/together.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace hetmp::schedulers {
namespace {

constexpr double not_known = std::numeric_limits<double>::infinity();
const std::vector<uint32_t> threads = {1, 1};
const NodeSet both = NodeSet::of(0) | NodeSet::of(1);

DecisionRules with_meetings() {
  DecisionRules result;
  result.meeting_us = 100;
  return result;
}

/// 10 visits of 100 iterations, with a fault every `period_us`.
LoopCost loop(double own_us, double alone0_us, double alone1_us, NodeSet nodes, double period_us = 1000) {
  return {10,
          1000,
          own_us,
          {alone0_us, alone1_us},
          nodes,
          {alone0_us, alone1_us},
          {alone0_us / period_us, alone1_us / period_us}};
}

TogetherChoice choose(const TogetherCosts& costs, bool tried = false) {
  return choose_together(costs, tried, with_meetings());
}

TogetherCosts costs(const std::vector<LoopCost>& loops) { return costs_together(loops, threads, with_meetings()); }

TEST(Together, CostsAreOfAllLoopsAndTheirMeetings) {
  const TogetherCosts sum = costs({loop(10, 20, 8, both), loop(5, 5, 4, NodeSet::of(0))});
  EXPECT_DOUBLE_EQ(sum.own_us, 10'000 + 1000 + 5'000); // a loop on the origin meets nobody
  EXPECT_DOUBLE_EQ(sum.alone_us[0], 25'000);
  EXPECT_DOUBLE_EQ(sum.alone_us[1], 12'000 + 2000);
  EXPECT_NEAR(sum.divided_us, 1000 / (1 / 20.0 + 1 / 8.0) + 1000 / (1 / 5.0 + 1 / 4.0) + 2000, 1e-6);
  EXPECT_NEAR(sum.speed[1], 25 / 12.0, 1e-9);
  EXPECT_DOUBLE_EQ(sum.speed[0], 1);
  EXPECT_NEAR(sum.fault_period_us, 1000, 1e-6);
  EXPECT_TRUE(sum.mixed);
}

TEST(Together, SpeedsThatHardlyDifferAreOneSpeed) {
  EXPECT_EQ(costs({loop(10, 20, 19.5, both)}).speed, (std::vector<double>{1, 1}));
}

TEST(Together, ANodeThatALoopKnowsNothingOfIsNoPlaceForAll) {
  const TogetherCosts sum = costs({loop(10, 20, 8, both), loop(5, 5, not_known, NodeSet::of(0))});
  EXPECT_EQ(sum.alone_us[1], not_known);
  EXPECT_EQ(sum.divided_us, not_known);
  EXPECT_EQ(best_node_together(sum), 0U);
}

TEST(Together, AnotherNodeThanTheOriginHasToBeClearlyBetter) {
  EXPECT_EQ(best_node_together(costs({loop(50, 20, 18, both)})), 0U);
  EXPECT_EQ(best_node_together(costs({loop(50, 20, 16, both)})), 1U);
}

TEST(Together, LoopsThatLoseGoToTheBestNode) {
  const TogetherChoice choice = choose(costs({loop(30, 20, 8, both), loop(20, 20, 8, NodeSet::of(1))}), true);
  EXPECT_EQ(choice.place, Together::OnOneNode);
  EXPECT_EQ(choice.node, 1U);
}

TEST(Together, LoopsThatGainStayWhereTheyAre) {
  EXPECT_EQ(choose(costs({loop(6, 20, 8, both)}), false).place, Together::AsTheyAre);
  // A winner and a loser with nothing in common.
  const LoopCost winner = loop(10, 20, 20, both), loser = loop(20, 20, 20, NodeSet::of(0));
  EXPECT_EQ(choose(costs({winner, loser}), true).place, Together::AsTheyAre);
}

TEST(Together, ADifferenceThatProvesNothingChangesNothing) {
  EXPECT_EQ(choose(costs({loop(20, 20, 20, both)}), true).place, Together::AsTheyAre);
}

TEST(Together, PagesBetweenPlacesAreInNoLoopsTime) {
  // Hardly better as measured: not at different places.
  const TogetherCosts mixed = costs({loop(19, 20, 40, both), loop(19, 20, 40, NodeSet::of(0))});
  EXPECT_EQ(choose(mixed, true).place, Together::OnOneNode);
  const TogetherCosts one = costs({loop(18, 20, 40, both), loop(18, 20, 40, both)});
  EXPECT_EQ(choose(one, true).place, Together::AsTheyAre);
}

TEST(Together, ADivisionOfAllIsTriedWhereItPromisesEnough) {
  const std::vector<LoopCost> loops = {loop(30, 20, 20, both), loop(20, 20, 20, NodeSet::of(1))};
  EXPECT_EQ(choose(costs(loops), false).place, Together::Divided);
  EXPECT_EQ(choose(costs(loops), true).place, Together::OnOneNode);
  const std::vector<LoopCost> unequal = {loop(30, 200, 20, both), loop(20, 200, 20, NodeSet::of(1))};
  EXPECT_NE(choose(costs(unequal), false).place, Together::Divided); // a tenth more speed
}

TEST(Together, FaultsOfAllTheWorkSayWhetherADivisionIsTried) {
  const double half = with_meetings().threshold_us / 2;
  const auto period = [&](double heavy_us, double light_us) {
    return costs({loop(30, 20, 20, NodeSet::of(0), heavy_us), loop(30, 2, 2, NodeSet::of(1), light_us)});
  };
  EXPECT_NEAR(period(100, 10).fault_period_us, 22 / (20 / 100.0 + 2 / 10.0), 1e-6);
  EXPECT_EQ(choose(period(1.2 * half, 1.2 * half)).place, Together::Divided);
  EXPECT_EQ(choose(period(4 * half, half / 4)).place, Together::Divided);
  EXPECT_EQ(choose(period(0.8 * half, 10 * half)).place, Together::OnOneNode);
}

TEST(Together, OneLoopIsTriedOnAllNodesWhereItHasNotBeen) {
  EXPECT_EQ(choose(costs({loop(30, 20, 20, NodeSet::of(0))})).place, Together::Divided);
  EXPECT_EQ(choose(costs({loop(30, 20, 20, both)})).place, Together::OnOneNode);
}

TEST(Together, ATrialIsJudgedByWhatItTook) {
  const TogetherCosts before = costs({loop(30, 20, 20, both), loop(20, 20, 20, NodeSet::of(0))});
  EXPECT_EQ(judge_divided(costs({loop(15, 20, 20, both), loop(15, 20, 20, both)}), before, with_meetings()).place,
            Together::Divided);
  EXPECT_EQ(judge_divided(costs({loop(20, 20, 20, both), loop(20, 20, 20, both)}), before, with_meetings()).place,
            Together::OnOneNode);
  const TogetherCosts good = costs({loop(12, 20, 20, both), loop(12, 20, 20, both)});
  EXPECT_EQ(judge_divided(costs({loop(15, 20, 20, both), loop(15, 20, 20, both)}), good, with_meetings()).place,
            Together::AsTheyAre);
}

TEST(Together, NobodyIsLeftWithoutWorkWhereNobodyChoseASchedule) {
  DecisionRules rules = with_meetings();
  rules.mode = DecisionMode::Speeds;
  const TogetherCosts losing = costs({loop(90, 20, 20, both), loop(90, 20, 20, both)});
  EXPECT_EQ(choose_together(losing, true, rules).place, Together::AsTheyAre);
  EXPECT_EQ(judge_divided(losing, losing, rules).place, Together::AsTheyAre);
}

TEST(Together, NothingKnownChangesNothing) {
  const TogetherCosts nothing = costs({loop(10, not_known, not_known, both)});
  EXPECT_EQ(choose(nothing, false).place, Together::AsTheyAre);
  EXPECT_EQ(judge_divided(nothing, nothing, with_meetings()).place, Together::AsTheyAre);
}

} // namespace
} // namespace hetmp::schedulers
