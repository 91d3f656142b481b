#include "loop_visits.hpp"

namespace hetmp::schedulers {
namespace {

TEST(LoopHistory, AuditsAtGrowingIntervals) {
  LoopHistory history;
  settle(history, quiet);
  for (uint64_t interval : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
    for (uint64_t left = interval; left > 0; --left) { // every visit is asked about, so none is announced in vain
      LoopHistory copy = history;
      const LoopHistory::Visit answer = copy.begin_visit(team, rules(), 1000);
      ASSERT_FALSE(answer.probe) << interval << " " << left;
      ASSERT_EQ(answer.repeats, left - 1);
      history.begin_visit(team, rules(), 1000 + left); // another number each time
    }
    const uint64_t before = history.visits();
    EXPECT_TRUE(visit(history, quiet, rules(), 999).probe) << interval;
    EXPECT_EQ(history.visits(), before + 1);
  }
}

TEST(LoopHistory, AuditsOneNodeTheLaterTheLessDoubtThereIs) {
  // A fault every 10 us; several nodes pay from 25, 30, .. us on.
  const std::pair<double, uint32_t> expected[] = {{25, 16}, {30, 19}, {45, 28}, {60, 32}, {1000, 32}};
  for (const auto& [threshold, visits] : expected) {
    DecisionRules with = rules();
    with.threshold_us = threshold;
    LoopHistory history;
    while (!history.settled())
      visit(history, probe(1000, 100, 3000, 300), with);
    ASSERT_EQ(history.decision().only_node(), 0);
    ASSERT_NEAR(history.decision().fault_period_us, 10, 1e-9);
    EXPECT_EQ(visit(history, quiet, with).repeats + 1, visits) << threshold;
  }
}

TEST(LoopHistory, CountsTheVisitsThatNobodyAskedAbout) {
  LoopHistory history;
  settle(history, quiet);
  EXPECT_EQ(history.visits(), 3u);
  EXPECT_EQ(visit(history, quiet).repeats, 7u);
  EXPECT_EQ(history.visits(), 4u);
  EXPECT_TRUE(visit(history, quiet).probe); // eight visits later
  EXPECT_EQ(history.visits(), 12u);
  EXPECT_EQ(visit(history, quiet).repeats, 15u);
  EXPECT_TRUE(visit(history, quiet).probe);
  EXPECT_EQ(history.visits(), 29u);
  EXPECT_EQ(history.probed_visits(), 5u);
}

TEST(LoopHistory, DoesNotCountAnnouncedVisitsThatWereOtherLoops) {
  LoopHistory history;
  settle(history, quiet);
  uint64_t asked = 0;
  while (!visit(history, quiet, rules(), 1000 + asked % 2).probe)
    ++asked;
  EXPECT_EQ(asked, 8u);
}

TEST(LoopHistory, AnAuditThatContradictsStartsProbingAgain) {
  const std::vector<NodeMeasurement> others[] = {
      clearly_faulting,        // another set of nodes
      probe(1000, 0, 2000, 0), // another speed
  };
  for (const auto& other : others) {
    LoopHistory history;
    settle(history, quiet);
    for (int audits = 0; audits < 3;) // until the interval has grown
      audits += visit(history, quiet).probe;
    EXPECT_FALSE(visit(history, quiet).probe);
    EXPECT_TRUE(visit(history, other).probe);
    const bool other_nodes = &other == others;
    EXPECT_EQ(history.settled(), other_nodes);
    if (other_nodes) { // that is looked at twice
      EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11));
      EXPECT_TRUE(visit(history, other).probe);
      EXPECT_FALSE(history.settled());
      EXPECT_FALSE(history.steady()) << "it is the first visit that says so";
    }
    // Fresh averages: as if there had been nothing before.
    LoopHistory fresh;
    visit(fresh, other);
    EXPECT_EQ(history.decision().nodes, fresh.decision().nodes);
    EXPECT_EQ(history.decision().speed, fresh.decision().speed);
    EXPECT_EQ(history.nodes()[1].us_per_iteration, fresh.nodes()[1].us_per_iteration);
    EXPECT_EQ(history.nodes()[1].faults_per_iteration, fresh.nodes()[1].faults_per_iteration);
    EXPECT_TRUE(visit(history, other).probe);
    EXPECT_TRUE(visit(history, other).probe);
    EXPECT_TRUE(history.settled());
    EXPECT_EQ(visit(history, other).repeats, other_nodes ? 31u : 7u);
  }
}

TEST(LoopHistory, TheFaultsOfOneVisitDoNotPutALoopOnOneNode) {
  LoopHistory history;
  settle(history, quiet);
  const Decision before = history.decision();
  visit(history, quiet);
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_TRUE(visit(history, quiet).probe); // looks again
  EXPECT_TRUE(history.settled());
  EXPECT_EQ(history.decision().nodes, before.nodes);
  EXPECT_EQ(history.decision().speed, before.speed);
  EXPECT_EQ(visit(history, quiet).repeats, 15u); // and is content
}

/// What nodes bring of the visits that nobody asked about, at an audit that says `now`.
const Decision& audit(LoopHistory& history, const std::vector<NodeMeasurement>& now,
                      const std::vector<NodeMeasurement>& earlier) {
  while (!history.begin_visit(team, rules()).probe) {
  }
  return history.absorb({now, now, earlier}, rules());
}

std::vector<NodeMeasurement> sixteen_visits(double us0, double us1) {
  return {measured(4, 16 * 400, 16 * 4 * us0, 0), measured(8, 16 * 800, 16 * 8 * us1, 0)};
}

TEST(LoopHistory, AuditsGoByAllVisitsSinceTheLastOne) {
  LoopHistory history;
  settle(history, quiet);
  ASSERT_EQ(history.decision().speed, (std::vector<double>{3, 1}));
  // Something disturbs the audit: it says 1.5 to 1, the sixteen visits before say 3 to 1.
  audit(history, probe(2000, 0, 3000, 0), sixteen_visits(1000, 3000));
  EXPECT_TRUE(history.settled());
  EXPECT_EQ(history.decision().speed, (std::vector<double>{3, 1}));
  EXPECT_EQ(history.begin_visit(team, rules()).repeats, 15u) << "confirmed";
  history.asked_every_time();
  // It has been something else all the time.
  audit(history, quiet, sixteen_visits(1200, 2640));
  EXPECT_TRUE(history.settled()) << "no probe knows better";
  EXPECT_NEAR(history.decision().speed[0] / history.decision().speed[1], 2.2, 0.1);
  // Nodes that tell nothing of earlier visits: the audit alone.
  audit(history, probe(2000, 0, 3000, 0), {measured(4, 0, 0, 0), measured(8, 0, 0, 0)});
  EXPECT_FALSE(history.settled());
}

/// The audit meets nothing of the time for which the quota holds the node up.
TEST(LoopHistory, AQuotaHasHeldNodesUpOnEarlierVisits) {
  LoopHistory history;
  std::vector<NodeMeasurement> now = probe(1000, 0, 1000, 0);
  for (NodeMeasurement& node : now)
    node.busy_us = node.thread_us;
  now[0].granted_cpus = 2; // for four threads
  settle(history, now);
  ASSERT_EQ(history.decision().speed, (std::vector<double>{1, 2}));
  audit(history, now, sixteen_visits(1800, 1000)); // not 3,600
  EXPECT_EQ(history.decision().speed, (std::vector<double>{1, 2}));
}

TEST(LoopHistory, IsPlacedByOthersOrKeptAsItIs) {
  LoopHistory history;
  settle(history, quiet);
  history.hold(history.decision(), 3);
  EXPECT_TRUE(history.is_bound() && history.is_placed());
  history.keep(history.decision(), 3);
  EXPECT_TRUE(history.is_bound());
  EXPECT_FALSE(history.is_placed());
  EXPECT_TRUE(history.settled());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(history.begin_visit(team, rules()).probe);
    history.asked_every_time();
  }
  EXPECT_TRUE(history.begin_visit(team, rules()).probe) << "it is audited";
  EXPECT_FALSE(history.is_bound());
}

TEST(LoopHistory, ASmallChangeConfirms) {
  LoopHistory history;
  settle(history, quiet);
  visit(history, quiet);
  EXPECT_TRUE(visit(history, probe(1000, 0, 3100, 0)).probe);
  EXPECT_TRUE(history.settled());
  EXPECT_EQ(history.decision().speed, (std::vector<double>{3, 1})) << "boundaries moved for next to nothing";
  visit(history, quiet);
  EXPECT_TRUE(visit(history, probe(1000, 0, 3450, 0)).probe);
  EXPECT_TRUE(history.settled());
  EXPECT_GT(history.decision().speed[0], 3.2);
}

TEST(LoopHistory, LooksTwiceBeforeOneNodeKeepsTheLoop) {
  LoopHistory history;
  settle(history, clearly_faulting);
  visit(history, clearly_faulting);
  // The other node's pages are cold again after so long; that alone confirms nothing.
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_EQ(visit(history, clearly_faulting).repeats, 63u);
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_TRUE(visit(history, quiet).probe); // they settled
  EXPECT_FALSE(history.settled());
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b11));
}

TEST(LoopHistory, SpeedsOfNodesWithoutWorkDoNotContradict) {
  LoopHistory history;
  settle(history, clearly_faulting);
  visit(history, clearly_faulting);
  visit(history, clearly_faulting);
  EXPECT_TRUE(visit(history, probe(1000, 400, 9000, 3600)).probe);
  EXPECT_TRUE(history.settled());
}

} // namespace
} // namespace hetmp::schedulers
