#include "schedulers/learning/decision.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A node whose threads execute all the time, with a fault every `period_us` of it.
NodeKnowledge node(uint32_t threads, double us, double period_us = infinity, double misses = -1) {
  NodeKnowledge result;
  result.threads = threads;
  result.measured = true;
  result.iterations = 1000;
  result.us_per_iteration = result.busy_us_per_iteration = us;
  result.faults_per_iteration = result.faults_next_visit = us / period_us / threads;
  result.misses_per_kilo_instruction = misses;
  return result;
}

DecisionRules rules(double threshold_us = 100) {
  DecisionRules result;
  result.threshold_us = threshold_us;
  return result;
}

DecisionRules predicting(double fault_us = 60) {
  DecisionRules result;
  result.mode = DecisionMode::Predict;
  result.fault_us = fault_us;
  return result;
}

#define EXPECT_SAYS(decision, part) EXPECT_NE((decision).reason.find(part), std::string::npos) << (decision).reason

TEST(Decision, KnowsItsNodes) {
  Decision decision;
  EXPECT_EQ(decision.only_node(), 0);
  decision.nodes = NodeSet::of(63);
  EXPECT_EQ(decision.only_node(), 63);
  EXPECT_TRUE(decision.uses(63));
  decision.nodes = NodeSet::of_bits(0b101);
  decision.speed = {3, 2, 1};
  EXPECT_EQ(decision.only_node(), -1);
  EXPECT_EQ(decision.weights(), (std::vector<double>{3, 0, 1}));
}

TEST(FaultPeriod, IsExecutionOverFaults) {
  NodeKnowledge known = node(4, 10);
  EXPECT_EQ(known.fault_period_us(), infinity);
  known.faults_per_iteration = 0.025; // ten in 400 iterations, that is, in 1000 us of four threads
  EXPECT_DOUBLE_EQ(known.fault_period_us(), 100);
  known.busy_us_per_iteration = 0.5; // the rest of the time it waited for them
  EXPECT_DOUBLE_EQ(known.fault_period_us(), 5);
  known.measured = false;
  EXPECT_EQ(known.fault_period_us(), infinity);
}

TEST(SpeedRatios, ComeFromElapsedTime) {
  std::vector<NodeKnowledge> nodes = {node(4, 10), node(8, 30), node(0, 0), node(2, 15)};
  nodes[0].busy_us_per_iteration = 1;
  EXPECT_EQ(decide(nodes, rules()).speed, (std::vector<double>{3, 1, 0, 2}));
}

TEST(SpeedRatios, CallNodesEqualThatAProbeCannotTellApart) {
  EXPECT_EQ(decide({node(4, 10), node(4, 10.4)}, rules()).speed, (std::vector<double>{1, 1}));
  const Decision apart = decide({node(4, 10), node(4, 10.6)}, rules());
  EXPECT_DOUBLE_EQ(apart.speed[0], 1.06);
  EXPECT_DOUBLE_EQ(apart.speed[1], 1);
}

TEST(SpeedRatios, LevelEachGroupOfEqualsAndNotAChainOfSmallSteps) {
  const Decision pairs = decide({node(1, 10), node(1, 30), node(1, 10.2), node(1, 29.4)}, rules());
  EXPECT_DOUBLE_EQ(pairs.speed[0], pairs.speed[2]);
  EXPECT_DOUBLE_EQ(pairs.speed[1], 1);
  EXPECT_DOUBLE_EQ(pairs.speed[3], 1);
  EXPECT_NEAR(pairs.speed[0], 2.94, 0.03);

  std::vector<NodeKnowledge> chain;
  for (int i = 0; i < 64; ++i)
    chain.push_back(node(1, 100 * std::pow(1.02, i)));
  const Decision steps = decide(chain, rules());
  EXPECT_NEAR(steps.speed.front() / steps.speed.back(), std::pow(1.02, 63), 0.2);
  EXPECT_TRUE(std::is_sorted(steps.speed.rbegin(), steps.speed.rend()));
}

TEST(SpeedRatios, TheUserReplacesWhatWasMeasured) {
  DecisionRules given = rules();
  given.speeds = {6, 2};
  EXPECT_EQ(decide({node(4, 10), node(4, 10)}, given).speed, (std::vector<double>{3, 1}));
  EXPECT_EQ(decide({node(4, 10), node(4, 10), node(4, 10)}, given).speed, (std::vector<double>{6, 2, 1}));
  given.speeds = {0, 0.5};
  const Decision excluded = decide({node(4, 10), node(4, 10)}, given);
  EXPECT_EQ(excluded.speed, (std::vector<double>{0, 1}));
  EXPECT_EQ(excluded.nodes, NodeSet::of_bits(0b10));
  given.speeds = {0, 1}; // would leave nobody
  EXPECT_EQ(decide({node(4, 10), node(0, 0)}, given).nodes, NodeSet::of_bits(0b01));
}

TEST(SpeedRatios, AnUnknownNodeCountsAsTheSlowest) {
  std::vector<NodeKnowledge> nodes = {node(4, 10), node(4, 30), node(4, 10)};
  nodes[2] = {};
  nodes[2].threads = 4;
  EXPECT_EQ(decide(nodes, rules()).speed, (std::vector<double>{3, 1, 1}));
}

TEST(ThresholdDecision, UsesEveryNodeWithoutFaults) {
  const Decision decision = decide({node(4, 10), node(8, 30)}, rules(7600));
  EXPECT_EQ(decision.nodes, NodeSet::of_bits(0b11));
  EXPECT_EQ(decision.fault_period_us, infinity);
  EXPECT_EQ(decision.reason, "no faults");
  EXPECT_TRUE(decision.predicted_us_per_iteration.empty());
}

TEST(ThresholdDecision, GoesByTheNodeThatFaultsMost) {
  const Decision decision = decide({node(4, 10, 100), node(8, 30, 75), node(9, 10)}, rules(50));
  EXPECT_DOUBLE_EQ(decision.fault_period_us, 75);
  EXPECT_SAYS(decision, "a fault every 75 us, not below the threshold of 50 us");
}

TEST(ThresholdDecision, IsNotFooledByOneNodeThatHardlyFaults) {
  const Decision decision = decide({node(4, 25, 10000), node(4, 25, 10)}, rules());
  EXPECT_DOUBLE_EQ(decision.fault_period_us, 10);
  EXPECT_EQ(decision.only_node(), 0);
}

TEST(ThresholdDecision, OneFaultOrNoneIsTheSame) {
  for (const double period : {60.0, 99.0, 101.0, 500.0})
    EXPECT_EQ(decide({node(1, 100), node(1, 100, period)}, rules(100)).nodes,
              decide({node(1, 100, 1e9), node(1, 100, period)}, rules(100)).nodes)
        << period;
}

TEST(ThresholdDecision, ComparesThePeriodWithTheThreshold) {
  const std::vector<NodeKnowledge> nodes = {node(1, 10, 64), node(1, 20, 64)};
  EXPECT_EQ(decide(nodes, rules(64)).nodes, NodeSet::of_bits(0b11));
  EXPECT_EQ(decide(nodes, rules(64.01)).nodes, NodeSet::of_bits(0b01));
  EXPECT_EQ(decide(nodes, rules(0)).nodes, NodeSet::of_bits(0b11));
}

TEST(ThresholdDecision, LeavesOutTheNodesThatFaultMost) {
  const std::vector<NodeKnowledge> nodes = {node(4, 10), node(4, 10, 2), node(4, 10, 500), node(4, 10, 5)};
  const Decision decision = decide(nodes, rules());
  EXPECT_EQ(decision.nodes, NodeSet::of_bits(0b0101));
  EXPECT_LT(decision.fault_period_us, 100); // of all nodes
  EXPECT_SAYS(decision, "below the threshold of 100 us, which only nodes 0, 2 reach together");
  // One more would not pass: a single node, not a set of one that never faulted.
  EXPECT_EQ(decide({node(4, 10), node(4, 10, 2), node(4, 10, 50)}, rules()).only_node(), 0);
}

TEST(ThresholdDecision, MayLeaveOutTheOriginWhenItFaultsMost) {
  EXPECT_EQ(decide({node(4, 10, 2), node(4, 10, 500), node(4, 10, 900)}, rules()).nodes, NodeSet::of_bits(0b110));
  // Among equals the others go first.
  EXPECT_EQ(decide({node(4, 10, 2), node(4, 10, 2), node(4, 10)}, rules(1.9)).nodes, NodeSet::of_bits(0b111));
}

TEST(ThresholdDecision, LeavesOutNodesWithoutNoticeableWork) {
  const Decision decision = decide({node(16, 1), node(8, 1), node(1, 12), node(1, 12)}, rules());
  EXPECT_EQ(decision.nodes, NodeSet::of_bits(0b0011)); // 2/12 of 24 + 2/12
  EXPECT_SAYS(decision, "the work of nodes 2, 3 would be negligible");
  // Many slow nodes are not negligible together.
  std::vector<NodeKnowledge> many(64, node(1, 30));
  many[0] = node(30, 1);
  const Decision together = decide(many, rules());
  EXPECT_GE(together.nodes.size(), 55u);
}

TEST(SingleNode, SaysWhatItDidWithoutCounters) {
  const Decision decision = decide({node(4, 10, 25), node(4, 10, 25)}, rules());
  EXPECT_EQ(decision.only_node(), 0);
  for (const char* part :
       {"every 25 us", "below the threshold of 100 us", "the origin", "cache misses are not counted"})
    EXPECT_SAYS(decision, part);
  EXPECT_LT(decision.misses_per_kilo_instruction, 0);
}

TEST(SingleNode, WithoutCountersLeavesTheOriginForAClearGainOnly) {
  EXPECT_EQ(decide({node(4, 10, 5), node(4, 8.1, 5)}, rules()).only_node(), 0);
  const Decision gain = decide({node(4, 10, 5), node(4, 7.9, 5)}, rules());
  EXPECT_EQ(gain.only_node(), 1);
  EXPECT_SAYS(gain, "1.27 times the origin's throughput");
  EXPECT_EQ(decide({node(4, 10, 5), node(12, 20, 5)}, rules()).only_node(),
            1); // throughput counts all threads
}

TEST(SingleNode, ComparesCpuTimeAndNotTheTimeOfTheProbe) {
  std::vector<NodeKnowledge> nodes = {node(4, 10, 5), node(4, 5, 5)};
  nodes[1].us_per_iteration = 50; // its pages were far away
  EXPECT_EQ(decide(nodes, rules()).only_node(), 1);
}

TEST(SingleNode, IsNotChosenByTimesOfShortProbes) {
  std::vector<NodeKnowledge> nodes = {node(1, 10, 5), node(1, 5, 5)};
  EXPECT_EQ(decide(nodes, rules()).only_node(), 1);
  nodes[1].iterations = 40; // 200 us
  EXPECT_EQ(decide(nodes, rules()).only_node(), 0);
  EXPECT_SAYS(decide(nodes, rules()), "weighed by quotas, as the probes were short, instead");
  nodes[0].throttled = 2;
  EXPECT_EQ(decide(nodes, rules()).only_node(), 1) << "that is known beforehand";
  nodes = {node(1, 10, 5), node(4, 15, 5)};
  nodes[0].iterations = 1;
  EXPECT_EQ(decide(nodes, rules()).only_node(), 1) << "it has more CPUs";
}

TEST(SingleNode, IsNotOneThatAQuotaHoldsBack) {
  std::vector<NodeKnowledge> nodes = {node(1, 10, 5), node(1, 10, 5)};
  EXPECT_EQ(decide(nodes, rules()).only_node(), 0);
  nodes[0].throttled = 2; // CPU time is as before
  EXPECT_EQ(decide(nodes, rules()).only_node(), 1);
  EXPECT_DOUBLE_EQ(decide(nodes, rules()).fault_period_us, 5);
  nodes[1].throttled = 2;
  EXPECT_EQ(decide(nodes, rules()).only_node(), 0);
}

/// With a small share it never uses its quota up, and seems as fast as the other node.
TEST(Speeds, AreNoHigherThanAQuotaAllows) {
  std::vector<NodeKnowledge> nodes = {node(1, 10, 500), node(1, 10, 500)};
  nodes[0].throttled = 2;
  EXPECT_EQ(decide(nodes, rules()).speed, (std::vector<double>{1, 2}));
  nodes[0].us_per_iteration = 40; // it is used up by others
  EXPECT_EQ(decide(nodes, rules()).speed, (std::vector<double>{1, 4}));
  nodes[0].throttled = 1;
  nodes[0].us_per_iteration = 10;
  EXPECT_EQ(decide(nodes, rules()).speed, (std::vector<double>{1, 1}));
}

TEST(SingleNode, BelowTheMissesThresholdIsTheOneWithTheGreatestThroughput) {
  const Decision decision = decide({node(4, 10, 5, 1), node(4, 9, 5, 4)}, rules());
  EXPECT_DOUBLE_EQ(decision.misses_per_kilo_instruction, 2.5);
  EXPECT_EQ(decision.only_node(), 1);
  EXPECT_SAYS(decision, "2.50 cache misses per thousand instructions, below 3.00: the greatest throughput");
  EXPECT_EQ(decide({node(4, 10, 5, 1), node(4, 9.9, 5, 1)}, rules()).only_node(), 0) << "noise moved it";
}

TEST(SingleNode, AtTheMissesThresholdIsTheOneWithTheFewestMisses) {
  const Decision decision = decide({node(4, 1, 5, 4), node(4, 9, 5, 2)}, rules());
  EXPECT_EQ(decision.only_node(), 1);
  EXPECT_SAYS(decision, "3.00 cache misses per thousand instructions, not below 3.00: the fewest of them, 2.00");
}

TEST(SingleNode, WithEqualMissesIsTheOneWithTheFasterThreads) {
  EXPECT_EQ(decide({node(9, 10, 5, 20), node(4, 8, 5, 21.9)}, rules()).only_node(), 1);
  EXPECT_EQ(decide({node(9, 10, 5, 20), node(4, 8, 5, 22.1)}, rules()).only_node(), 0);
  EXPECT_EQ(decide({node(4, 10, 5, 20), node(4, 9.8, 5, 19)}, rules()).only_node(), 0) << "noise moved it";
}

TEST(SingleNode, WeighsMissesByThreads) {
  EXPECT_DOUBLE_EQ(decide({node(1, 10, 5, 1), node(3, 10, 5, 5)}, rules()).misses_per_kilo_instruction, 4);
}

TEST(SingleNode, NeedsTheCountersOfEveryNode) {
  const Decision decision = decide({node(4, 10, 5, 9), node(4, 10, 5)}, rules());
  EXPECT_LT(decision.misses_per_kilo_instruction, 0);
  EXPECT_SAYS(decision, "not counted");
}

TEST(SingleNode, GoesByGivenSpeeds) {
  DecisionRules given = rules();
  given.speeds = {1, 2};
  const Decision decision = decide({node(4, 10, 5), node(4, 10, 5)}, given);
  EXPECT_EQ(decision.only_node(), 1);
  EXPECT_SAYS(decision, "the given speeds");
}

TEST(SingleNode, IsAmongThoseWithThreadsAndKnowledge) {
  EXPECT_EQ(decide({node(0, 1, 5), node(4, 10, 5), node(4, 10, 5)}, rules()).only_node(), 1);
  std::vector<NodeKnowledge> unknown_origin = {node(4, 10), node(4, 10, 5), node(4, 2, 5)};
  unknown_origin[0].measured = false;
  EXPECT_EQ(decide(unknown_origin, rules()).only_node(), 2);
}

TEST(Prediction, TakesTheSetWithTheLeastTime) {
  // Alone: 10/4 = 2.5 and 20/4 = 5 us. Together, with a fault of 60 us every 10 and 20 iterations: 16 and 23
  // us.
  std::vector<NodeKnowledge> nodes = {node(4, 10), node(4, 20)};
  nodes[0].faults_next_visit = 0.1;
  nodes[1].faults_next_visit = 0.05;
  const Decision several = decide(nodes, predicting());
  EXPECT_EQ(several.nodes, NodeSet::of_bits(0b11));
  ASSERT_EQ(several.predicted_us_per_iteration.size(), 3u);
  EXPECT_DOUBLE_EQ(several.predicted_us_per_iteration[0], 2.5);
  EXPECT_DOUBLE_EQ(several.predicted_us_per_iteration[1], 5);
  EXPECT_DOUBLE_EQ(several.predicted_us_per_iteration[2], 1 / (4 / 16.0 + 4 / 23.0));
  EXPECT_SAYS(several, "predicted 2.36 us an iteration on nodes 0, 1, against 2.50 on the origin");
  EXPECT_SAYS(several, "60 us");

  const Decision single = decide(nodes, predicting(120));
  EXPECT_EQ(single.only_node(), 0);
  EXPECT_DOUBLE_EQ(single.predicted_us_per_iteration[2], 2.5);
  EXPECT_SAYS(single, "on the origin, against");
}

TEST(Prediction, ExpectsSettledPagesAndNotThoseThatWereSeen) {
  std::vector<NodeKnowledge> nodes = {node(4, 10, 1), node(4, 10, 1)};
  EXPECT_EQ(decide(nodes, predicting()).only_node(), 0);
  nodes[0].faults_next_visit = nodes[1].faults_next_visit = 0;
  EXPECT_EQ(decide(nodes, predicting()).nodes, NodeSet::of_bits(0b11));
  EXPECT_EQ(decide(nodes, rules()).only_node(), 0); // the paper's way
}

TEST(Prediction, ChoosesTheBestSingleNode) {
  EXPECT_EQ(decide({node(4, 10, 0.1), node(4, 5, 0.1)}, predicting()).only_node(), 1);
  EXPECT_EQ(decide({node(4, 10, 0.1), node(4, 9.9, 0.1)}, predicting()).only_node(), 0); // a tie
}

TEST(Prediction, KnowsOfQuotas) {
  std::vector<NodeKnowledge> nodes = {node(1, 10, 0.1), node(1, 10, 0.1)};
  EXPECT_EQ(decide(nodes, predicting()).only_node(), 0);
  nodes[0].throttled = 6;
  const Decision decision = decide(nodes, predicting());
  EXPECT_EQ(decision.only_node(), 1);
  EXPECT_DOUBLE_EQ(decision.predicted_us_per_iteration[0], 60);
}

TEST(Prediction, BreaksTiesWithFewerNodes) {
  EXPECT_EQ(decide({node(32, 10), node(32, 10), node(1, 10)}, predicting()).nodes, NodeSet::of_bits(0b011));
  EXPECT_EQ(decide({node(32, 10), node(8, 10), node(32, 10)}, predicting()).nodes, NodeSet::of_bits(0b111));
  EXPECT_EQ(decide({node(1, 10), node(64, 10)}, predicting()).nodes, NodeSet::of_bits(0b10));
}

TEST(Prediction, HasNoNumberForWhatIsNotKnown) {
  std::vector<NodeKnowledge> nodes = {node(4, 10), node(0, 0), node(4, 10)};
  nodes[2].measured = false;
  const Decision one_known = decide(nodes, predicting());
  EXPECT_EQ(one_known.predicted_us_per_iteration, (std::vector<double>{2.5, infinity, infinity, 2.5}));
  EXPECT_EQ(one_known.only_node(), 0);
  nodes[0].measured = false;
  const Decision nothing = decide(nodes, predicting());
  EXPECT_EQ(nothing.nodes, NodeSet::of_bits(0b101));
  EXPECT_EQ(nothing.predicted_us_per_iteration, std::vector<double>(4, infinity));
}

TEST(Decision, HasNothingToDecideOnOneNode) {
  const Decision origin = decide({node(4, 10, 1)}, rules());
  EXPECT_EQ(origin.nodes, NodeSet::of(0));
  EXPECT_EQ(origin.speed, std::vector<double>{1});
  EXPECT_EQ(origin.reason, "only one node takes part");
  EXPECT_EQ(decide({node(0, 0), node(4, 10, 1)}, rules()).nodes, NodeSet::of_bits(0b10));
  EXPECT_EQ(decide({}, rules()).nodes, NodeSet::of(0));
  EXPECT_EQ(decide({node(0, 0)}, predicting()).nodes, NodeSet::of(0));
}

TEST(Decision, UsesAllNodesBeforeAnythingIsMeasured) {
  std::vector<NodeKnowledge> nodes(3);
  nodes[0].threads = nodes[2].threads = 4;
  for (const DecisionRules& way : {rules(), predicting()}) {
    const Decision decision = decide(nodes, way);
    EXPECT_EQ(decision.nodes, NodeSet::of_bits(0b101));
    EXPECT_EQ(decision.speed, (std::vector<double>{1, 0, 1}));
  }
}

std::vector<NodeKnowledge> random_nodes(std::mt19937_64& random) {
  const double extremes[] = {0, 1e-300, 1e-3, 1, 1e3, 1e300, infinity};
  std::vector<NodeKnowledge> nodes(1 + random() % 64);
  for (NodeKnowledge& each : nodes) {
    each.threads = static_cast<uint32_t>(random() % 97);
    each.measured = random() % 8 != 0;
    const auto any = [&] {
      return random() % 16 == 0 ? extremes[random() % 7] : 1e-3 * static_cast<double>(random() % 1000000);
    };
    each.us_per_iteration = any();
    each.busy_us_per_iteration = any();
    each.faults_per_iteration = random() % 2 ? 0 : 1e-4 * any();
    each.faults_next_visit = each.faults_per_iteration;
    each.misses_per_kilo_instruction = random() % 16 == 0 ? -1 : 1e-2 * any();
  }
  return nodes;
}

TEST(Decision, IsSensibleWhateverIsKnown) {
  std::mt19937_64 random(3);
  for (int repetition = 0; repetition < 20000; ++repetition) {
    const std::vector<NodeKnowledge> nodes = random_nodes(random);
    DecisionRules way = repetition % 2 ? rules() : predicting();
    if (random() % 4 == 0)
      way.speeds = {0, 2, 3.5};
    const Decision decision = decide(nodes, way);
    ASSERT_FALSE(decision.nodes.empty());
    ASSERT_EQ(decision.speed.size(), nodes.size());
    ASSERT_FALSE(std::isnan(decision.fault_period_us));
    ASSERT_FALSE(decision.reason.empty());
    double slowest = infinity;
    bool anybody = false;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      anybody |= nodes[i].threads > 0;
      ASSERT_FALSE(std::isnan(decision.speed[i]));
      if (decision.speed[i] > 0)
        slowest = std::min(slowest, decision.speed[i]);
      if (nodes[i].threads == 0) {
        ASSERT_EQ(decision.speed[i], 0);
      }
    }
    if (!anybody)
      continue;
    ASSERT_DOUBLE_EQ(slowest, 1);
    for (uint32_t i = 0; i < 64; ++i)
      if (decision.uses(i)) {
        ASSERT_LT(i, nodes.size());
        ASSERT_GT(decision.speed[i], 0);
      }
    const Decision again = decide(nodes, way);
    ASSERT_EQ(again.nodes, decision.nodes);
    ASSERT_EQ(again.speed, decision.speed);
  }
}

TEST(Decision, MoreFaultsNeverLengthenThePeriod) {
  std::mt19937_64 random(7);
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<NodeKnowledge> nodes;
    for (uint64_t i = 0, count = 1 + random() % 64; i < count; ++i)
      nodes.push_back(node(1 + random() % 96, 1 + static_cast<double>(random() % 100000),
                           1 + static_cast<double>(random() % 1000)));
    const Decision before = decide(nodes, rules());
    nodes[random() % nodes.size()].faults_per_iteration *= 1.5;
    EXPECT_LE(decide(nodes, rules()).fault_period_us, before.fault_period_us);
  }
}

} // namespace
} // namespace hetmp::schedulers
