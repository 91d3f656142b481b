#include "schedulers/hetprobe.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto all_nodes = Decision::Placement::AllNodes;
constexpr auto one_node = Decision::Placement::OneNode;

// 100 iterations a thread. Node 0: 4 threads, node 1: 8 threads.
std::vector<NodeMeasurement> visit(double us0, uint64_t faults0, double us1, uint64_t faults1) {
  return {{us0, faults0, 400, 4}, {us1, faults1, 800, 8}};
}

TEST(HetProbe, TakesTheFirstVisitRaw) {
  RegionHistory history;
  const Decision decision = history.update(visit(1000, 10, 3000, 40), 50);
  ASSERT_EQ(decision.speed.size(), 2u);
  EXPECT_DOUBLE_EQ(decision.speed[0], 3.0);
  EXPECT_DOUBLE_EQ(decision.speed[1], 1.0);
  EXPECT_DOUBLE_EQ(history.fault_period_us(0), 100); // 1000 us / 10 faults
  EXPECT_DOUBLE_EQ(history.fault_period_us(1), 75);  // 3000 us / 40 faults
  // Rates weighted by threads: 12 / (4 / 100 + 8 / 75)
  EXPECT_NEAR(decision.fault_period_us, 81.8181818, 1e-6);
  EXPECT_EQ(decision.placement, all_nodes);
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(HetProbe, SmoothsTimesAndFaultsWithThreeQuartersForTheNewVisit) {
  RegionHistory history;
  history.update(visit(1000, 10, 3000, 40), 50);
  const Decision decision = history.update(visit(2000, 50, 2000, 0), 50);
  // Node 0: times 10 then 20 us an iteration: 17.5; faults 10 then 50: 40 -> 1750 us / 40 faults.
  EXPECT_DOUBLE_EQ(history.fault_period_us(0), 43.75);
  // Node 1: times 30 then 20: 22.5; faults 40 then 0: 10 -> 2250 us / 10 faults.
  EXPECT_DOUBLE_EQ(history.fault_period_us(1), 225);
  EXPECT_DOUBLE_EQ(decision.speed[0], 22.5 / 17.5);
  EXPECT_DOUBLE_EQ(decision.speed[1], 1.0);
  EXPECT_NEAR(decision.fault_period_us, 12 / (4 / 43.75 + 8 / 225.0), 1e-9);
}

TEST(HetProbe, SmoothsOverVisitsOfDifferentLength) {
  RegionHistory history;
  history.update({{1000, 4, 400, 4}, {2000, 8, 400, 4}}, 50); // 10 and 20 us an iteration
  const Decision decision = history.update({{100, 1, 40, 4}, {200, 1, 40, 4}}, 50);
  EXPECT_DOUBLE_EQ(decision.speed[0], 2.0); // a tenth of the trips, the same nodes
  // Node 0: 10 us; faults 4/400 then 1/40 an iteration: 0.02125, times 4 threads.
  EXPECT_NEAR(history.fault_period_us(0), 10 / (0.02125 * 4), 1e-9);
}

TEST(HetProbe, RunsEverywhereWithoutFaults) {
  RegionHistory history;
  const Decision decision = history.update(visit(1000, 0, 3000, 0), 7600);
  EXPECT_EQ(decision.placement, all_nodes);
  EXPECT_EQ(decision.fault_period_us, infinity);
  EXPECT_EQ(decision.reason, "no faults");
}

TEST(HetProbe, LeavesNodesWithoutFaultsOutOfTheMean) {
  RegionHistory history;
  const Decision decision = history.update(visit(1000, 0, 3000, 100), 100);
  EXPECT_DOUBLE_EQ(decision.fault_period_us, 30);
  EXPECT_EQ(decision.placement, one_node);
  EXPECT_EQ(history.fault_period_us(0), infinity);
}

TEST(HetProbe, ComparesThePeriodWithTheThreshold) {
  EXPECT_EQ(RegionHistory().update(visit(1000, 10, 2000, 20), 100).placement, all_nodes); // exactly 100
  EXPECT_EQ(RegionHistory().update(visit(1000, 10, 2000, 20), 100.01).placement, one_node);
  EXPECT_EQ(RegionHistory().update(visit(1000, 10, 2000, 20), 0).placement, all_nodes);
}

TEST(HetProbe, ChoosesTheOriginAndSaysWhy) {
  const Decision decision = RegionHistory().update(visit(1000, 40, 2000, 80), 100);
  EXPECT_EQ(decision.placement, one_node);
  EXPECT_EQ(decision.only_node, 0u);
  for (const char* part : {"every 25 us", "below the threshold of 100 us", "origin", "cache misses"})
    EXPECT_NE(decision.reason.find(part), std::string::npos) << decision.reason;
  EXPECT_DOUBLE_EQ(decision.speed[0], 2.0);
}

TEST(HetProbe, IsNotFooledByOneNodeThatHardlyFaults) {
  // Periods 10000 and 10 us: their arithmetic mean, 5005 us, would call this profitable.
  const Decision decision = RegionHistory().update({{10000, 1, 400, 4}, {10000, 1000, 400, 4}}, 100);
  EXPECT_NEAR(decision.fault_period_us, 8 / (4 / 10000.0 + 4 / 10.0), 1e-9);
  EXPECT_EQ(decision.placement, one_node);
}

TEST(HetProbe, ChangesItsMindWhileItProbes) {
  RegionHistory history;
  EXPECT_EQ(history.update(visit(1000, 400, 2000, 900), 100).placement, one_node); // cold data
  int visits = 1;
  while (history.decision().placement == one_node && history.wants_probe()) {
    history.update(visit(1000, 0, 2000, 0), 100);
    ++visits;
  }
  EXPECT_EQ(history.decision().placement, all_nodes);
  EXPECT_EQ(visits, 4); // each quiet visit divides the smoothed faults by 4: 2.5, 10, 40, 160 us on node 0
  EXPECT_EQ(history.update(visit(1000, 400, 2000, 900), 100).placement, one_node);
}

TEST(HetProbe, ProbesTenVisitsThenKeepsTheDecision) {
  RegionHistory history;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(history.wants_probe());
    history.update(visit(1000, 10, 2000, 10), 50);
  }
  EXPECT_FALSE(history.wants_probe());
  EXPECT_EQ(history.probed_visits(), 10u);
  EXPECT_EQ(history.decision().placement, all_nodes);
  EXPECT_EQ(history.decision().speed.size(), 2u);
}

TEST(HetProbe, CallsNodesEqualThatAProbeCannotTellApart) {
  EXPECT_EQ(RegionHistory().update({{1000, 0, 400, 4}, {1040, 0, 400, 4}}, 100).speed, (std::vector<double>{1, 1}));
  const Decision apart = RegionHistory().update({{1000, 0, 400, 4}, {1060, 0, 400, 4}}, 100);
  EXPECT_DOUBLE_EQ(apart.speed[0], 1.06);
  EXPECT_DOUBLE_EQ(apart.speed[1], 1);
}

TEST(HetProbe, CountsExecutionAndNotWaitingBetweenFaults) {
  // 10 faults in 1000 us, of which the threads executed 50 us: a fault every 5 us of work, not every 100.
  const Decision decision = RegionHistory().update({{1000, 10, 400, 4, 50}, {1000, 10, 400, 4, 50}}, 100);
  EXPECT_DOUBLE_EQ(decision.fault_period_us, 5);
  EXPECT_EQ(decision.placement, Decision::Placement::OneNode);
}

TEST(HetProbe, ProbesAsOftenAsTold) {
  RegionHistory once(1);
  once.update(visit(1000, 0, 2000, 0), 50);
  EXPECT_FALSE(once.wants_probe());
  EXPECT_EQ(RegionHistory(0).most_probes(), 1u);
}

TEST(HetProbe, StartsAfreshWithAnotherNumberOfNodes) {
  RegionHistory history;
  history.update(visit(1000, 10, 2000, 10), 50);
  const Decision decision = history.update({{100, 0, 40, 4}, {100, 0, 40, 4}, {400, 0, 40, 4}}, 50);
  EXPECT_EQ(decision.speed, (std::vector<double>{4, 4, 1}));
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(HetProbe, HasNothingToDecideOnOneNode) {
  const Decision decision = RegionHistory().update({{1000, 500, 400, 4}}, 100);
  EXPECT_EQ(decision.placement, all_nodes);
  EXPECT_EQ(decision.speed, std::vector<double>{1.0});
  EXPECT_EQ(decision.reason, "only one node takes part");
}

TEST(HetProbe, SurvivesTimesThatCannotBe) {
  for (double absurd : {0.0, -5.0, std::nan(""), infinity, 1e300}) {
    RegionHistory history;
    const Decision decision = history.update(visit(absurd, 3, 2000, 0), 100);
    ASSERT_EQ(decision.speed.size(), 2u);
    for (double speed : decision.speed) {
      EXPECT_TRUE(std::isfinite(speed) && speed > 0) << absurd;
    }
    EXPECT_DOUBLE_EQ(*std::min_element(decision.speed.begin(), decision.speed.end()), 1.0) << absurd;
    EXPECT_FALSE(std::isnan(decision.fault_period_us)) << absurd;
  }
}

TEST(HetProbe, KeepsWhatItKnowsOfANodeThatMeasuredNonsense) {
  RegionHistory history;
  history.update(visit(1000, 10, 3000, 40), 50);
  const Decision decision = history.update(visit(1000, 10, std::nan(""), 7), 50);
  EXPECT_DOUBLE_EQ(decision.speed[0], 3.0);
  EXPECT_DOUBLE_EQ(history.fault_period_us(1), 75);
}

TEST(HetProbe, CallsTwoNodesWithoutMeasurableTimeEqual) {
  EXPECT_EQ(RegionHistory().update(visit(0, 0, 0, 0), 100).speed, (std::vector<double>{1, 1}));
}

TEST(HetProbe, GivesNoSpeedToANodeWithoutThreads) {
  const Decision decision = RegionHistory().update({{1000, 0, 400, 4}, {0, 0, 0, 0}}, 100);
  EXPECT_EQ(decision.speed, (std::vector<double>{1, 0}));
}

TEST(HetProbe, SlowestIsOneAndMoreFaultsNeverHelp) {
  std::mt19937_64 random(7);
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<NodeMeasurement> nodes(1 + random() % 64);
    for (NodeMeasurement& node : nodes) {
      node.threads = 1 + random() % 96;
      node.iterations = 10 * node.threads;
      node.mean_us = 1 + static_cast<double>(random() % 100000);
      node.faults = random() % 1000;
    }
    const Decision decision = RegionHistory().update(nodes, 100);
    EXPECT_DOUBLE_EQ(*std::min_element(decision.speed.begin(), decision.speed.end()), 1.0);
    NodeMeasurement& worse = nodes[random() % nodes.size()];
    if (worse.faults == 0)
      continue;
    worse.faults += 1 + random() % 1000;
    EXPECT_LT(RegionHistory().update(nodes, 100).fault_period_us, decision.fault_period_us);
  }
}

} // namespace
} // namespace hetmp::schedulers
