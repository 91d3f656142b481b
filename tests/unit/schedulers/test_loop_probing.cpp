#include "loop_visits.hpp"

#include <algorithm>
#include <random>

namespace hetmp::schedulers {
namespace {

TEST(LoopHistory, HasAllNodesAlikeBeforeTheFirstProbe) {
  LoopHistory history;
  EXPECT_TRUE(history.begin_visit({4, 0, 8}, rules()).probe);
  EXPECT_FALSE(history.decided());
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b101));
  EXPECT_EQ(history.decision().weights(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(history.decision().reason, "");
}

TEST(LoopHistory, SettlesAfterThreeProbesThatLeaveNoDoubt) {
  LoopHistory history;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(history.settled());
    EXPECT_TRUE(visit(history, quiet).probe);
  }
  EXPECT_TRUE(history.settled());
  EXPECT_FALSE(visit(history, quiet).probe);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11));
}

TEST(LoopHistory, ProbesTenTimesInDoubt) {
  // Periods near the threshold, on either side; speeds that do not come to rest.
  for (const auto& doubtful : {probe(1000, 5, 3000, 15), probe(1000, 20, 3000, 60)}) {
    LoopHistory history;
    settle(history, doubtful);
    EXPECT_EQ(history.probed_visits(), 10u);
  }
  LoopHistory restless;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(restless.settled());
    visit(restless, i % 2 == 0 ? quiet : probe(1000, 0, 1500, 0));
  }
  EXPECT_TRUE(restless.settled());
}

TEST(LoopHistory, ProbesAtMostAsOftenAsTold) {
  for (const uint32_t most : {0u, 1u, 2u, 5u}) {
    DecisionRules how = rules();
    how.most_probes = most;
    LoopHistory history;
    settle(history, probe(1000, 5, 3000, 15), how);
    EXPECT_EQ(history.probed_visits(), std::max(most, 1u));
  }
}

TEST(LoopHistory, IsNotSureOfOneNodeBecauseOfAColdFirstVisit) {
  // The first visit moves everything; later ones hardly anything. The average remains far below the threshold
  // for three.
  LoopHistory history;
  visit(history, probe(1000, 40000, 3000, 120000));
  EXPECT_EQ(history.decision().only_node(), 0); // used meanwhile
  for (int i = 0; i < 3; ++i) {
    visit(history, quiet);
    EXPECT_FALSE(history.settled()) << history.decision().reason;
  }
  while (!history.settled())
    visit(history, quiet);
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11));
  EXPECT_LE(history.probed_visits(), 10u);
}

TEST(LoopHistory, IsSureOfOneNodeWhenEachOfThreeVisitsSaysSo) {
  LoopHistory history;
  settle(history, clearly_faulting);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().only_node(), 0);
}

/// CPU times of a cold visit say nothing, and to leave the origin moves all of a loop's data.
TEST(LoopHistory, DoesNotLeaveTheOriginBecauseOfTheFirstVisit) {
  const std::vector<NodeMeasurement> better_elsewhere = probe(1000, 400, 600, 1200); // and far too many faults for both
  LoopHistory history;
  visit(history, better_elsewhere);
  EXPECT_EQ(history.decision().only_node(), 0) << history.decision().reason;
  visit(history, better_elsewhere);
  EXPECT_EQ(history.decision().only_node(), 1) << history.decision().reason;
}

int probed_visits_until_settled(const std::vector<std::vector<NodeMeasurement>>& visits, bool decides_within_visits) {
  LoopHistory history;
  for (const auto& nodes : visits) {
    if (!history.begin_visit(team, rules()).probe)
      break;
    if (decides_within_visits)
      history.asked_every_time();
    history.absorb(nodes, rules());
  }
  return int(history.probed_visits());
}

TEST(LoopHistory, ADoubtfulPeriodIsNotProbedOnWhereVisitsDecideAgainAnyway) {
  const std::vector doubtful(10, probe(1000, 15, 3000, 45)); // a fault every 67 us, and 100 us is the threshold
  EXPECT_EQ(probed_visits_until_settled(doubtful, false), 10);
  EXPECT_EQ(probed_visits_until_settled(doubtful, true), 3);
}

TEST(LoopHistory, PagesThatSettleAreProbedOn) {
  std::vector<std::vector<NodeMeasurement>> settling;
  for (double faults = 22; settling.size() < 10; faults *= 0.85) // from a fault every 45 us on
    settling.push_back(probe(1000, uint64_t(faults), 3000, uint64_t(3 * faults)));
  EXPECT_GT(probed_visits_until_settled(settling, true), 5);
}

TEST(LoopHistory, PredictionsSettleToo) {
  DecisionRules how;
  how.mode = DecisionMode::Predict;
  LoopHistory history;
  settle(history, quiet, how);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().predicted_us_per_iteration.size(), 3u);
  // Faults that fall by ten on every visit are not taken for what stays.
  LoopHistory settling;
  visit(settling, probe(1000, 4000, 3000, 8000), how);
  EXPECT_EQ(settling.decision().only_node(), 0);
  visit(settling, probe(1000, 400, 3000, 800), how);
  visit(settling, probe(1000, 40, 3000, 80), how);
  EXPECT_EQ(settling.decision().nodes, NodeSet::of_bits(0b11));
}

TEST(LoopHistory, StartsAfreshWithAnotherTeam) {
  LoopHistory history;
  settle(history, quiet);
  EXPECT_TRUE(history.begin_visit({4, 4}, rules()).probe);
  EXPECT_FALSE(history.decided());
  EXPECT_FALSE(history.settled());
  EXPECT_EQ(history.visits(), 1u);
  EXPECT_EQ(history.probed_visits(), 0u);
  const Decision& decision = history.absorb(
      std::vector{measured(4, 40, 400, 0), measured(4, 40, 400, 0), measured(4, 40, 1600, 0)}, rules(50));
  EXPECT_EQ(decision.speed, (std::vector<double>{4, 4, 1}));
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(LoopHistory, DoesNotProbeWhereThereIsNothingToLearn) {
  LoopHistory history;
  EXPECT_FALSE(history.begin_visit({0, 4}, rules(), 1000).probe);
  EXPECT_EQ(history.decision().only_node(), 1);
  const LoopHistory::Visit tiny = history.begin_visit(team, rules(), 23);
  EXPECT_FALSE(tiny.probe); // 12 threads
  EXPECT_GT(tiny.repeats, 0u);
  EXPECT_TRUE(history.begin_visit(team, rules(), 24).probe);
}

TEST(LoopHistory, ComesToRestWhateverIsMeasured) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<uint32_t> threads(1 + random() % 64);
    for (uint32_t& count : threads)
      count = static_cast<uint32_t>(random() % 5);
    LoopHistory history;
    DecisionRules how = rules();
    how.mode = repetition % 2 ? DecisionMode::Threshold : DecisionMode::Predict;
    how.most_probes = static_cast<uint32_t>(1 + random() % 10);
    uint32_t in_a_row = 0;
    for (int i = 0; i < 100; ++i) {
      if (!history.begin_visit(threads, how).probe) {
        in_a_row = 0;
        continue;
      }
      // A contradicting audit and its warming up count too.
      ASSERT_LE(++in_a_row, how.most_probes + 1);
      std::vector<NodeMeasurement> nodes;
      for (const uint32_t count : threads)
        nodes.push_back(measured(count, 10 * count, static_cast<double>(random() % 100000), random() % 100));
      history.absorb(nodes, how);
      ASSERT_FALSE(history.decision().nodes.empty());
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
