// HetProbe-I's own promises. Those of every policy are in test_policies.cpp, times in
// simulation/test_simulation.cpp.
#include "policy_world.hpp"
#include "random_loops.hpp"
#include "schedulers/learning/probe.hpp"
#include "schedulers/policies/hetprobe_i.hpp"

namespace hetmp::schedulers {
namespace {

const LoopShape two_nodes{100000, {4, 4}};

DecisionRules quick_exchanges() {
  DecisionRules rules;
  rules.exchange_us = 1;
  return rules;
}

/// Microseconds of an iteration, and its faults.
struct Iteration {
  double us = 1;
  double faults = 0;
};

/// One visit; `iteration` says what one costs on a node.
template <class Function>
PolicyWorld visit(const LoopShape& shape, HetProbeI& policy, const Function& iteration, uint64_t seed = 1) {
  PolicyWorld world(shape, policy, seed);
  world.longest_delay_us = 1;
  world.cost = [&iteration](uint32_t node, Range chunk, double) {
    Iteration sum{0, 0};
    for (uint64_t i = chunk.begin; i < chunk.end; ++i) {
      const Iteration one = iteration(node, i);
      sum.us += one.us;
      sum.faults += one.faults;
    }
    return ChunkCost{sum.us + 60 * sum.faults, sum.us, static_cast<uint64_t>(sum.faults), 0, 0};
  };
  world.run();
  world.expect_complete();
  return world;
}

Iteration regular(uint32_t, uint64_t) { return {}; }
/// Node 1 faults so often that it is of no use.
Iteration useless_second(uint32_t node, uint64_t) { return {1, node == 1 ? 1.0 : 0.0}; }

/// Twice as many iterations for node 0 on the second visit, and the probe follows the regions.
TEST(HetProbeI, EachNodeProbesWhereItsOwnRegionBegins) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  for (const uint64_t boundary : {two_nodes.trips / 2, two_nodes.trips * 2 / 3}) {
    HetProbeI policy(two_nodes, 10, history, rules);
    const PolicyWorld world = visit(
        two_nodes, policy,
        [](uint32_t node, uint64_t) {
          return Iteration{node == 0 ? 1.0 : 2.0, 0};
        },
        2);
    const uint64_t probe = two_nodes.trips / 20;
    for (const PolicyWorld::Executed& executed : world.executed()) {
      if (executed.chunk.begin < probe) {
        EXPECT_EQ(executed.node, 0u);
      }
      if (executed.chunk.begin >= two_nodes.trips - probe) { // where one with an odd number begins
        EXPECT_EQ(executed.node, 1u);
      }
      if (executed.chunk.begin < boundary - probe / 10 && executed.chunk.begin > boundary - probe * 9 / 10) {
        EXPECT_EQ(executed.node, 0u);
      }
    }
  }
}

/// On which the loop was placed: nodes tell what they took when they ask next.
TEST(HetProbeI, VisitsBeforeAreNotPartOfThis) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  NodeMeasurement earlier;
  earlier.threads = two_nodes.threads[0];
  earlier.iterations = two_nodes.trips;
  earlier.thread_us = 1e6;
  std::vector<Reply> replies;
  policy.ask(0, earlier, replies);
  EXPECT_EQ(policy.decisions(), 0U);
  EXPECT_FALSE(replies.empty());
  policy.ask(1, earlier, replies);
  EXPECT_EQ(policy.decisions(), 0U) << "nobody has probed yet";
}

TEST(HetProbeI, DecidesAgainByProgress) {
  LoopHistory history;
  DecisionRules rules = quick_exchanges();
  rules.reprobe_percent = 20;
  HetProbeI policy(two_nodes, 10, history, rules);
  visit(two_nodes, policy, regular);
  EXPECT_GE(policy.decisions(), 4u); // after the probe, and about every fifth of what follows
  EXPECT_LE(policy.decisions(), 5u);
}

TEST(HetProbeI, NeverDecidesAgainIfToldSo) {
  LoopHistory history;
  DecisionRules rules = quick_exchanges();
  rules.reprobe_percent = 0;
  HetProbeI policy(two_nodes, 10, history, rules);
  visit(two_nodes, policy, regular);
  EXPECT_EQ(policy.decisions(), 1u);
}

TEST(HetProbeI, NoPartIsMoreThanASmallPartOfWhatIsLeft) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  const PolicyWorld world = visit(two_nodes, policy, regular);
  uint64_t left = two_nodes.trips;
  for (const Reply& reply : world.replies()) {
    const uint64_t size = reply.assignment.size();
    if (left > 20000) { // then parts are not bounded by what an exchange costs
      EXPECT_LE(size, left / 20 + 1);
    }
    left -= size;
  }
}

TEST(HetProbeI, ANodeThatIsUselessIsParkedAndSeldomAskedAgain) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  const PolicyWorld world = visit(two_nodes, policy, useless_second);
  EXPECT_EQ(policy.decision().only_node(), 0);
  EXPECT_GE(policy.samples(), 1u);
  EXPECT_LE(policy.samples(), 4u); // the distance doubles
  const uint64_t probe = two_nodes.trips / 20;
  EXPECT_LE(world.iterations_of(1), probe + two_nodes.trips / 50);
}

TEST(HetProbeI, AParkedNodeIsBroughtInWhenTheLoopChanges) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  uint64_t executed = 0;
  const PolicyWorld world = visit(two_nodes, policy, [&](uint32_t node, uint64_t i) {
    return ++executed < two_nodes.trips / 2 ? useless_second(node, i) : Iteration{};
  });
  EXPECT_EQ(policy.decision().nodes, NodeSet::of_bits(0b11));
  EXPECT_GT(world.iterations_of(1), two_nodes.trips / 10) << "twice its probe";
}

TEST(HetProbeI, ANodeThatStartsToFaultIsParked) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  // Time, not place, decides: the second half of the visit, seen from how much has been done.
  uint64_t done = 0;
  const PolicyWorld world = visit(two_nodes, policy, [&](uint32_t node, uint64_t) {
    return Iteration{100, ++done > 30000 && node == 1 ? 1.0 : 0.0};
  });
  EXPECT_EQ(policy.decision().only_node(), 0);
  EXPECT_LT(world.iterations_of(1), two_nodes.trips / 3);
}

TEST(HetProbeI, ALoopOfOneNodeBeginsThereOnceThatIsSettled) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  for (int number = 0; number < 12; ++number) {
    HetProbeI policy(two_nodes, 10, history, rules);
    visit(two_nodes, policy, useless_second, static_cast<uint64_t>(number));
  }
  ASSERT_TRUE(history.settled());
  HetProbeI policy(two_nodes, 10, history, rules);
  std::vector<Reply> replies;
  policy.ask(1, {}, replies);
  EXPECT_TRUE(replies.empty()); // parked
  policy.ask(0, {}, replies);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].node, 0u);
}

TEST(HetProbeI, AnUnevenLoopsNextVisitBeginsWhereTheLastOneEnded) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  const auto step = [](uint32_t, uint64_t i) { return Iteration{i < 50000 ? 9.0 : 1.0, 0}; };
  HetProbeI policy(two_nodes, 10, history, rules);
  visit(two_nodes, policy, step);
  // 500000 us of work, of which node 0 does the first half: iterations of 9 us, so it seems slower.
  EXPECT_GT(history.decision().speed[1], history.decision().speed[0]);
}

TEST(HetProbeI, TheOthersDoTheWorkOfANodeThatComesLate) {
  LoopHistory history;
  const DecisionRules rules = quick_exchanges();
  HetProbeI policy(two_nodes, 10, history, rules);
  NodeMeasurement done;
  uint64_t sum = 0;
  std::vector<Reply> replies;
  do {
    replies.clear();
    policy.ask(0, done, replies);
    ASSERT_EQ(replies.size(), 1u);
    done = {.threads = 4, .iterations = replies[0].assignment.size()};
    done.thread_us = static_cast<double>(done.iterations);
    sum += done.iterations;
  } while (!replies[0].assignment.last);
  EXPECT_EQ(sum, two_nodes.trips);
  policy.report(0, done);
  EXPECT_FALSE(policy.finished());
  replies.clear();
  policy.ask(1, {}, replies);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].assignment.last);
  EXPECT_EQ(replies[0].assignment.size(), 0u);
  EXPECT_TRUE(policy.finished());
}

TEST(HetProbeI, EveryIterationOnceWithFaultsThatComeAndGo) {
  std::mt19937_64 random(3);
  uint32_t samples = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    const LoopShape shape{5000 + random() % 20000, random_team(random)};
    DecisionRules rules = quick_exchanges();
    rules.mode = random() % 2 == 0 ? DecisionMode::Threshold : DecisionMode::Predict;
    rules.reprobe_percent = 1 + static_cast<double>(random() % 30);
    LoopHistory history;
    for (int number = 0; number < 4; ++number) {
      HetProbeI policy(shape, 5, history, rules);
      const uint64_t phase = 1 + random() % 5000;
      const uint64_t faulting = random();
      visit(
          shape, policy,
          [&](uint32_t node, uint64_t i) {
            return Iteration{1.0 + node, (faulting >> node & 1) != 0 && i / phase % 2 == 0 ? 1.0 : 0.0};
          },
          random());
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << repetition << ", visit " << number;
      samples += policy.samples();
    }
  }
  EXPECT_GT(samples, 100u); // or the test would not have tested that
}

} // namespace
} // namespace hetmp::schedulers
