#include "loop_visits.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {
namespace {

TEST(LoopHistory, TakesTheFirstVisitRaw) {
  LoopHistory history;
  EXPECT_FALSE(history.decided());
  const Decision& decision = history.absorb(probe(1000, 10, 3000, 40), rules(50));
  EXPECT_EQ(decision.speed, (std::vector<double>{3, 1}));
  EXPECT_DOUBLE_EQ(history.nodes()[0].fault_period_us(), 100); // 1000 us / 10 faults
  EXPECT_DOUBLE_EQ(history.nodes()[1].fault_period_us(), 75);  // 3000 us / 40 faults
  EXPECT_EQ(decision.nodes, NodeSet::of_bits(0b11));
  EXPECT_TRUE(history.decided());
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(LoopHistory, SmoothsTimesAndFaultsWithThreeQuartersForTheNewVisit) {
  LoopHistory history;
  history.absorb(probe(1000, 10, 3000, 40), rules(50));
  const Decision& decision = history.absorb(probe(2000, 50, 2000, 0), rules(50));
  // Node 0: times 10 then 20 us an iteration: 17.5; faults 10 then 50: 40 -> 1750 us / 40 faults.
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 17.5);
  EXPECT_DOUBLE_EQ(history.nodes()[0].fault_period_us(), 43.75);
  // Node 1: times 30 then 20: 22.5; faults 40 then 0: 10 -> 2250 us / 10 faults.
  EXPECT_DOUBLE_EQ(history.nodes()[1].fault_period_us(), 225);
  EXPECT_DOUBLE_EQ(decision.speed[0], 22.5 / 17.5);
  EXPECT_DOUBLE_EQ(decision.fault_period_us, 43.75) << "that of the node that faults most";
}

TEST(LoopHistory, SmoothsTheFaultPeriodOnEveryVisit) {
  LoopHistory history;
  double faults = 100;
  history.absorb(probe(1000, 100, 1000, 0), rules());
  for (const uint64_t seen : {40u, 0u, 300u, 7u}) {
    history.absorb(probe(1000, seen, 1000, 0), rules());
    faults = 0.75 * static_cast<double>(seen) + 0.25 * faults;
    EXPECT_DOUBLE_EQ(history.nodes()[0].fault_period_us(), 1000 / faults);
    EXPECT_DOUBLE_EQ(history.decision().fault_period_us, 1000 / faults);
  }
}

TEST(LoopHistory, SmoothsOverVisitsOfDifferentLength) {
  LoopHistory history;
  history.absorb(std::vector{measured(4, 400, 4000, 4), measured(4, 400, 8000, 8)}, rules());
  history.absorb(std::vector{measured(4, 40, 400, 1), measured(4, 40, 800, 1)}, rules());
  EXPECT_DOUBLE_EQ(history.decision().speed[0], 2.0); // a tenth of the trips, the same nodes
  // Node 0: 10 us; faults 4/400 then 1/40 an iteration: 0.02125, times 4 threads.
  EXPECT_NEAR(history.nodes()[0].fault_period_us(), 10 / (0.02125 * 4), 1e-9);
}

TEST(LoopHistory, LongMeasurementsWeighMoreThanShortOnes) {
  LoopHistory history;
  history.absorb(std::vector{measured(4, 400, 4000, 0), measured(4, 400, 4000, 0)}, rules());
  history.absorb(std::vector{measured(4, 4000, 40000, 0), measured(4, 40, 800, 0)}, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 10);
  // 0.75 x 40 iterations of 20 us against 0.25 x 400 of 10 us.
  EXPECT_DOUBLE_EQ(history.nodes()[1].us_per_iteration, (30 * 20.0 + 100 * 10.0) / 130);
}

/// A visit of two nodes that went on after their probes, ten times as far.
void absorb_whole(LoopHistory& history, double us0, double us1, uint64_t faults = 0) {
  std::vector<NodeMeasurement> probes = probe(1000, 0, 3000, 0);
  history.absorb({probes, {measured(4, 4000, 40 * us0, faults), measured(8, 8000, 80 * us1, 0)}, {}}, rules());
}

TEST(LoopHistory, AveragesTimesOfWholeVisitsThatAgree) {
  LoopHistory history;
  for (const double seen : {1000, 1080, 1010, 960})
    absorb_whole(history, seen, 3000);
  EXPECT_NEAR(history.nodes()[0].us_per_iteration, 10.125, 1e-9);
}

TEST(LoopHistory, ADivisionStandsForOnceWhenItsPagesMove) {
  LoopHistory history;
  absorb_whole(history, 1000, 3000);
  absorb_whole(history, 1500, 3000, 100000);
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 10) << "not taken";
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11));
  absorb_whole(history, 1500, 3000);
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 0.25 * 10 + 0.75 * 15);
}

TEST(LoopHistory, FaultsThatProbesDoNotShowCountWhenTheyPersist) {
  LoopHistory history;
  absorb_whole(history, 1000, 3000);
  absorb_whole(history, 1000, 3000, 100000);
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11)) << "the division may have been new";
  absorb_whole(history, 1000, 3000, 100000);
  EXPECT_EQ(history.decision().only_node(), 0);
}

TEST(LoopHistory, TakesTimesFromAllOfAVisitAndFaultsFromItsProbe) {
  const std::vector<NodeMeasurement> probes = probe(1000, 0, 9000, 8);
  const std::vector<NodeMeasurement> wholes = {measured(4, 4000, 40000, 0), measured(8, 8000, 240000, 20)};
  LoopHistory history;
  history.absorb({probes, wholes, {}}, rules());
  EXPECT_DOUBLE_EQ(history.decision().speed[0], 3);
  EXPECT_DOUBLE_EQ(history.nodes()[1].faults_per_iteration, 8 / 800.0);

  // Pages that moved meanwhile, of whichever node, would tell of themselves: 60 us each.
  std::vector<NodeMeasurement> moving = wholes;
  moving[1].read_misses = 50; // 3 ms, of the 40 of node 0 too much
  LoopHistory moved;
  moved.absorb({probe(1000, 0, 9000, 0), moving, {}}, rules());
  EXPECT_DOUBLE_EQ(moved.decision().speed[0], 9);
  EXPECT_DOUBLE_EQ(moved.nodes()[0].iterations, 400);

  // Where one node alone went on, its other iterations are no measure for the others' probes.
  LoopHistory alone;
  alone.absorb({probe(1000, 0, 9000, 0), {measured(4, 4000, 80000, 0), measured(8, 800, 72000, 0)}, {}}, rules());
  EXPECT_DOUBLE_EQ(alone.decision().speed[0], 9);
}

TEST(LoopHistory, APreviewChangesNothing) {
  LoopHistory history;
  const Decision preview = history.preview(probe(1000, 10, 3000, 40), rules(50));
  EXPECT_EQ(preview.speed, (std::vector<double>{3, 1}));
  EXPECT_FALSE(history.decided());
  EXPECT_EQ(history.absorb(probe(1000, 10, 3000, 40), rules(50)).reason, preview.reason);
}

TEST(LoopHistory, SmoothsCountersAndDoesWithoutThem) {
  LoopHistory history;
  std::vector<NodeMeasurement> counted = clearly_faulting;
  for (NodeMeasurement& node : counted) {
    node.instructions = 1000000;
    node.cache_misses = 1000;
  }
  history.absorb(clearly_faulting, rules());
  EXPECT_LT(history.nodes()[0].misses_per_kilo_instruction, 0);
  history.absorb(counted, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].misses_per_kilo_instruction, 1);
  counted[0].cache_misses = 9000;
  history.absorb(counted, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].misses_per_kilo_instruction, 7);
  history.absorb(clearly_faulting, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].misses_per_kilo_instruction, 7);
  EXPECT_DOUBLE_EQ(history.decision().misses_per_kilo_instruction, (4 * 7.0 + 8 * 1.0) / 12);
}

TEST(LoopHistory, CountsExecutionAndNotWaitingBetweenFaults) {
  // 10 faults in 1000 us, of which the threads executed 50 us: a fault every 5 us of work, not every 100.
  std::vector<NodeMeasurement> waiting = {measured(4, 400, 4000, 10), measured(4, 400, 4000, 10)};
  for (NodeMeasurement& node : waiting)
    node.busy_us = 4 * 50;
  LoopHistory history;
  EXPECT_DOUBLE_EQ(history.absorb(waiting, rules()).fault_period_us, 5);
  EXPECT_EQ(history.decision().only_node(), 0);
}

TEST(LoopHistory, AQuotaStretchesExecutionByTheCpusThatItLacks) {
  std::vector<NodeMeasurement> nodes = {measured(4, 400, 4000, 10), measured(4, 400, 4000, 10)};
  nodes[0].granted_cpus = 1;
  nodes[1].granted_cpus = 8; // more than it has threads
  LoopHistory history;
  history.absorb(nodes, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].throttled, 4);
  EXPECT_DOUBLE_EQ(history.nodes()[1].throttled, 1);
  nodes[0].granted_cpus = 0; // lifted
  history.absorb(nodes, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].throttled, 1);
}

TEST(LoopHistory, CountsFaultsOfAllKinds) {
  NodeMeasurement node = measured(4, 400, 4000, 10);
  node.write_misses = 20;
  node.write_upgrades = 30;
  node.asked_locks = 40;
  LoopHistory history;
  history.absorb(std::vector{node, measured(4, 400, 4000, 0)}, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_per_iteration, 100.0 / 400);
}

TEST(LoopHistory, ExpectsPagesToGoOnSettling) {
  LoopHistory history;
  history.absorb(probe(1000, 400, 1000, 400), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 1); // nothing says yet that they settle
  history.absorb(probe(1000, 40, 1000, 800), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 0.01); // a tenth remained, a tenth of that will
  EXPECT_DOUBLE_EQ(history.nodes()[1].faults_next_visit, 1);    // they rose: no more is expected than was seen
  history.absorb(probe(1000, 0, 1000, 800), rules());
  EXPECT_EQ(history.nodes()[0].faults_next_visit, 0);
  history.absorb(probe(1000, 4, 1000, 800), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 0.01);
}

TEST(LoopHistory, SurvivesTimesThatCannotBe) {
  for (const double absurd : {0.0, -5.0, std::nan(""), infinity, -infinity, 1e300}) {
    LoopHistory history;
    const Decision& decision = history.absorb(probe(absurd, 3, 2000, 0), rules());
    ASSERT_EQ(decision.speed.size(), 2u);
    for (const double speed : decision.speed) {
      EXPECT_TRUE(std::isfinite(speed) && speed > 0) << absurd;
    }
    EXPECT_DOUBLE_EQ(*std::min_element(decision.speed.begin(), decision.speed.end()), 1.0) << absurd;
    EXPECT_FALSE(std::isnan(decision.fault_period_us)) << absurd;
  }
}

TEST(LoopHistory, KeepsWhatItKnowsOfANodeThatMeasuredNonsense) {
  for (int kind = 0; kind < 4; ++kind) {
    LoopHistory history;
    history.absorb(probe(1000, 10, 3000, 40), rules(50));
    std::vector<NodeMeasurement> next = probe(1000, 10, 500, 7);
    if (kind == 0)
      next[1].thread_us = std::nan("");
    else if (kind == 1)
      next[1].thread_us = -1;
    else if (kind == 2)
      next[1].iterations = 0;
    else
      next[1] = {};
    history.absorb(next, rules(50));
    EXPECT_DOUBLE_EQ(history.decision().speed[0], 3.0) << kind;
    EXPECT_DOUBLE_EQ(history.nodes()[1].fault_period_us(), 75) << kind;
    EXPECT_EQ(history.probed_visits(), 2u);
  }
}

TEST(LoopHistory, CallsTwoNodesWithoutMeasurableTimeEqual) {
  LoopHistory history;
  EXPECT_EQ(history.absorb(probe(0, 0, 0, 0), rules()).speed, (std::vector<double>{1, 1}));
}

} // namespace
} // namespace hetmp::schedulers
