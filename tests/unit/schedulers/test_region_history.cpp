#include "schedulers/region_history.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<uint32_t> team = {4, 8};

NodeMeasurement measured(uint32_t threads, uint64_t iterations, double thread_us, uint64_t faults) {
  NodeMeasurement result;
  result.threads = threads;
  result.iterations = iterations;
  result.thread_us = thread_us;
  result.read_misses = faults;
  return result;
}

/// 100 iterations a thread, which took a thread us0 and us1.
std::vector<NodeMeasurement> probe(double us0, uint64_t faults0, double us1, uint64_t faults1) {
  return {measured(4, 400, 4 * us0, faults0), measured(8, 800, 8 * us1, faults1)};
}

const std::vector<NodeMeasurement> quiet = probe(1000, 0, 3000, 0);
const std::vector<NodeMeasurement> clearly_faulting = probe(1000, 400, 3000, 1200); // a fault every 2.5 us

DecisionRules rules(double threshold_us = 100) {
  DecisionRules result;
  result.threshold_us = threshold_us;
  return result;
}

/// Probes once if the history wants to. The visit's answer.
RegionHistory::Visit visit(RegionHistory& history, const std::vector<NodeMeasurement>& nodes,
                           const DecisionRules& how = rules(), uint64_t trips = 0) {
  const RegionHistory::Visit result = history.begin_visit(team, how, trips);
  if (result.probe)
    history.absorb(nodes, how);
  return result;
}

void settle(RegionHistory& history, const std::vector<NodeMeasurement>& nodes,
            const DecisionRules& how = rules()) {
  for (int i = 0; i < 20 && !history.settled(); ++i)
    visit(history, nodes, how);
  ASSERT_TRUE(history.settled());
}

TEST(RegionHistory, TakesTheFirstVisitRaw) {
  RegionHistory history;
  EXPECT_FALSE(history.decided());
  const Decision& decision = history.absorb(probe(1000, 10, 3000, 40), rules(50));
  EXPECT_EQ(decision.speed, (std::vector<double>{3, 1}));
  EXPECT_DOUBLE_EQ(history.nodes()[0].fault_period_us(), 100); // 1000 us / 10 faults
  EXPECT_DOUBLE_EQ(history.nodes()[1].fault_period_us(), 75);  // 3000 us / 40 faults
  EXPECT_EQ(decision.nodes, 0b11u);
  EXPECT_TRUE(history.decided());
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(RegionHistory, SmoothsTimesAndFaultsWithThreeQuartersForTheNewVisit) {
  RegionHistory history;
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

TEST(RegionHistory, SmoothsTheFaultPeriodOnEveryVisit) {
  RegionHistory history;
  double faults = 100;
  history.absorb(probe(1000, 100, 1000, 0), rules());
  for (const uint64_t seen : {40u, 0u, 300u, 7u}) {
    history.absorb(probe(1000, seen, 1000, 0), rules());
    faults = 0.75 * static_cast<double>(seen) + 0.25 * faults;
    EXPECT_DOUBLE_EQ(history.nodes()[0].fault_period_us(), 1000 / faults);
    EXPECT_DOUBLE_EQ(history.decision().fault_period_us, 1000 / faults);
  }
}

TEST(RegionHistory, SmoothsOverVisitsOfDifferentLength) {
  RegionHistory history;
  history.absorb({measured(4, 400, 4000, 4), measured(4, 400, 8000, 8)}, rules());
  history.absorb({measured(4, 40, 400, 1), measured(4, 40, 800, 1)}, rules());
  EXPECT_DOUBLE_EQ(history.decision().speed[0], 2.0); // a tenth of the trips, the same nodes
  // Node 0: 10 us; faults 4/400 then 1/40 an iteration: 0.02125, times 4 threads.
  EXPECT_NEAR(history.nodes()[0].fault_period_us(), 10 / (0.02125 * 4), 1e-9);
}

TEST(RegionHistory, LongMeasurementsWeighMoreThanShortOnes) {
  RegionHistory history;
  history.absorb({measured(4, 400, 4000, 0), measured(4, 400, 4000, 0)}, rules());
  history.absorb({measured(4, 4000, 40000, 0), measured(4, 40, 800, 0)}, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 10);
  // 0.75 x 40 iterations of 20 us against 0.25 x 400 of 10 us.
  EXPECT_DOUBLE_EQ(history.nodes()[1].us_per_iteration, (30 * 20.0 + 100 * 10.0) / 130);
}

/// A visit of two nodes that went on after their probes, ten times as far.
void absorb_whole(RegionHistory& history, double us0, double us1, uint64_t faults = 0) {
  std::vector<NodeMeasurement> probes = probe(1000, 0, 3000, 0);
  history.absorb(probes, {measured(4, 4000, 40 * us0, faults), measured(8, 8000, 80 * us1, 0)}, rules());
}

TEST(RegionHistory, AveragesTimesOfWholeVisitsThatAgree) {
  RegionHistory history;
  for (const double seen : {1000, 1080, 1010, 960})
    absorb_whole(history, seen, 3000);
  EXPECT_NEAR(history.nodes()[0].us_per_iteration, 10.125, 1e-9);
}

TEST(RegionHistory, ADivisionStandsForOnceWhenItsPagesMove) {
  RegionHistory history;
  absorb_whole(history, 1000, 3000);
  absorb_whole(history, 1500, 3000, 100000);
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 10) << "not taken";
  EXPECT_EQ(history.decision().nodes, 0b11u);
  absorb_whole(history, 1500, 3000);
  EXPECT_DOUBLE_EQ(history.nodes()[0].us_per_iteration, 0.25 * 10 + 0.75 * 15);
}

TEST(RegionHistory, FaultsThatProbesDoNotShowCountWhenTheyPersist) {
  RegionHistory history;
  absorb_whole(history, 1000, 3000);
  absorb_whole(history, 1000, 3000, 100000);
  EXPECT_EQ(history.decision().nodes, 0b11u) << "the division may have been new";
  absorb_whole(history, 1000, 3000, 100000);
  EXPECT_EQ(history.decision().only_node(), 0);
}

TEST(RegionHistory, TakesTimesFromAllOfAVisitAndFaultsFromItsProbe) {
  const std::vector<NodeMeasurement> probes = probe(1000, 0, 9000, 8);
  const std::vector<NodeMeasurement> wholes = {measured(4, 4000, 40000, 0), measured(8, 8000, 240000, 20)};
  RegionHistory history;
  history.absorb(probes, wholes, rules());
  EXPECT_DOUBLE_EQ(history.decision().speed[0], 3);
  EXPECT_DOUBLE_EQ(history.nodes()[1].faults_per_iteration, 8 / 800.0);

  // Pages that moved meanwhile, of whichever node, would tell of themselves: 60 us each.
  std::vector<NodeMeasurement> moving = wholes;
  moving[1].read_misses = 50; // 3 ms, of the 40 of node 0 too much
  RegionHistory moved;
  moved.absorb(probe(1000, 0, 9000, 0), moving, rules());
  EXPECT_DOUBLE_EQ(moved.decision().speed[0], 9);
  EXPECT_DOUBLE_EQ(moved.nodes()[0].iterations, 400);

  // Where one node alone went on, its other iterations are no measure for the others' probes.
  RegionHistory alone;
  alone.absorb(probe(1000, 0, 9000, 0), {measured(4, 4000, 80000, 0), measured(8, 800, 72000, 0)}, rules());
  EXPECT_DOUBLE_EQ(alone.decision().speed[0], 9);
}

TEST(RegionHistory, APreviewChangesNothing) {
  RegionHistory history;
  const Decision preview = history.preview(probe(1000, 10, 3000, 40), rules(50));
  EXPECT_EQ(preview.speed, (std::vector<double>{3, 1}));
  EXPECT_FALSE(history.decided());
  EXPECT_EQ(history.absorb(probe(1000, 10, 3000, 40), rules(50)).reason, preview.reason);
}

TEST(RegionHistory, SmoothsCountersAndDoesWithoutThem) {
  RegionHistory history;
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

TEST(RegionHistory, CountsExecutionAndNotWaitingBetweenFaults) {
  // 10 faults in 1000 us, of which the threads executed 50 us: a fault every 5 us of work, not every 100.
  std::vector<NodeMeasurement> waiting = {measured(4, 400, 4000, 10), measured(4, 400, 4000, 10)};
  for (NodeMeasurement& node : waiting)
    node.busy_us = 4 * 50;
  RegionHistory history;
  EXPECT_DOUBLE_EQ(history.absorb(waiting, rules()).fault_period_us, 5);
  EXPECT_EQ(history.decision().only_node(), 0);
}

TEST(RegionHistory, CountsFaultsOfAllKinds) {
  NodeMeasurement node = measured(4, 400, 4000, 10);
  node.write_misses = 20;
  node.write_upgrades = 30;
  RegionHistory history;
  history.absorb({node, measured(4, 400, 4000, 0)}, rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_per_iteration, 60.0 / 400);
}

TEST(RegionHistory, ExpectsPagesToGoOnSettling) {
  RegionHistory history;
  history.absorb(probe(1000, 400, 1000, 400), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 1); // nothing says yet that they settle
  history.absorb(probe(1000, 40, 1000, 800), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 0.01); // a tenth remained, a tenth of that will
  EXPECT_DOUBLE_EQ(history.nodes()[1].faults_next_visit, 1); // they rose: no more is expected than was seen
  history.absorb(probe(1000, 0, 1000, 800), rules());
  EXPECT_EQ(history.nodes()[0].faults_next_visit, 0);
  history.absorb(probe(1000, 4, 1000, 800), rules());
  EXPECT_DOUBLE_EQ(history.nodes()[0].faults_next_visit, 0.01);
}

TEST(RegionHistory, HasAllNodesAlikeBeforeTheFirstProbe) {
  RegionHistory history;
  EXPECT_TRUE(history.begin_visit({4, 0, 8}, rules()).probe);
  EXPECT_FALSE(history.decided());
  EXPECT_EQ(history.decision().nodes, 0b101u);
  EXPECT_EQ(history.decision().weights(), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(history.decision().reason, "");
}

TEST(RegionHistory, SettlesAfterThreeProbesThatLeaveNoDoubt) {
  RegionHistory history;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(history.settled());
    EXPECT_TRUE(visit(history, quiet).probe);
  }
  EXPECT_TRUE(history.settled());
  EXPECT_FALSE(visit(history, quiet).probe);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().nodes, 0b11u);
}

TEST(RegionHistory, ProbesTenTimesInDoubt) {
  // Periods near the threshold, on either side; speeds that do not come to rest.
  for (const auto& doubtful : {probe(1000, 5, 3000, 15), probe(1000, 20, 3000, 60)}) {
    RegionHistory history;
    settle(history, doubtful);
    EXPECT_EQ(history.probed_visits(), 10u);
  }
  RegionHistory restless;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(restless.settled());
    visit(restless, i % 2 == 0 ? quiet : probe(1000, 0, 1500, 0));
  }
  EXPECT_TRUE(restless.settled());
}

TEST(RegionHistory, ProbesAtMostAsOftenAsTold) {
  for (const uint32_t most : {0u, 1u, 2u, 5u}) {
    DecisionRules how = rules();
    how.most_probes = most;
    RegionHistory history;
    settle(history, probe(1000, 5, 3000, 15), how);
    EXPECT_EQ(history.probed_visits(), std::max(most, 1u));
  }
}

TEST(RegionHistory, IsNotSureOfOneNodeBecauseOfAColdFirstVisit) {
  // The first visit moves everything; later ones hardly anything. The average remains far below the threshold
  // for three.
  RegionHistory history;
  visit(history, probe(1000, 40000, 3000, 120000));
  EXPECT_EQ(history.decision().only_node(), 0); // used meanwhile
  for (int i = 0; i < 3; ++i) {
    visit(history, quiet);
    EXPECT_FALSE(history.settled()) << history.decision().reason;
  }
  while (!history.settled())
    visit(history, quiet);
  EXPECT_EQ(history.decision().nodes, 0b11u);
  EXPECT_LE(history.probed_visits(), 10u);
}

TEST(RegionHistory, IsSureOfOneNodeWhenEachOfThreeVisitsSaysSo) {
  RegionHistory history;
  settle(history, clearly_faulting);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().only_node(), 0);
}

/// CPU times of a cold visit say nothing, and to leave the origin moves all of a loop's data.
TEST(RegionHistory, DoesNotLeaveTheOriginBecauseOfTheFirstVisit) {
  const std::vector<NodeMeasurement> better_elsewhere = probe(1000, 400, 600, 1200); // and far too many faults for both
  RegionHistory history;
  visit(history, better_elsewhere);
  EXPECT_EQ(history.decision().only_node(), 0) << history.decision().reason;
  visit(history, better_elsewhere);
  EXPECT_EQ(history.decision().only_node(), 1) << history.decision().reason;
}

TEST(RegionHistory, AuditsAtGrowingIntervals) {
  RegionHistory history;
  settle(history, quiet);
  for (uint64_t interval : {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
    for (uint64_t left = interval; left > 0;
         --left) { // every visit is asked about, so none is announced in vain
      RegionHistory copy = history;
      const RegionHistory::Visit answer = copy.begin_visit(team, rules(), 1000);
      ASSERT_FALSE(answer.probe) << interval << " " << left;
      ASSERT_EQ(answer.repeats, left - 1);
      history.begin_visit(team, rules(), 1000 + left); // another number each time
    }
    const uint64_t before = history.visits();
    EXPECT_TRUE(visit(history, quiet, rules(), 999).probe) << interval;
    EXPECT_EQ(history.visits(), before + 1);
  }
}

TEST(RegionHistory, AuditsOneNodeTheLaterTheLessDoubtThereIs) {
  // A fault every 10 us; several nodes pay from 25, 30, .. us on.
  const std::pair<double, uint32_t> expected[] = {{25, 16}, {30, 19}, {45, 28}, {60, 32}, {1000, 32}};
  for (const auto& [threshold, visits] : expected) {
    DecisionRules with = rules();
    with.threshold_us = threshold;
    RegionHistory history;
    while (!history.settled())
      visit(history, probe(1000, 100, 3000, 300), with);
    ASSERT_EQ(history.decision().only_node(), 0);
    ASSERT_NEAR(history.decision().fault_period_us, 10, 1e-9);
    EXPECT_EQ(visit(history, quiet, with).repeats + 1, visits) << threshold;
  }
}

TEST(RegionHistory, CountsTheVisitsThatNobodyAskedAbout) {
  RegionHistory history;
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

TEST(RegionHistory, DoesNotCountAnnouncedVisitsThatWereOtherLoops) {
  RegionHistory history;
  settle(history, quiet);
  uint64_t asked = 0;
  while (!visit(history, quiet, rules(), 1000 + asked % 2).probe)
    ++asked;
  EXPECT_EQ(asked, 8u);
}

TEST(RegionHistory, AnAuditThatContradictsStartsProbingAgain) {
  const std::vector<NodeMeasurement> others[] = {
      clearly_faulting,        // another set of nodes
      probe(1000, 0, 2000, 0), // another speed
  };
  for (const auto& other : others) {
    RegionHistory history;
    settle(history, quiet);
    for (int audits = 0; audits < 3;) // until the interval has grown
      audits += visit(history, quiet).probe;
    EXPECT_FALSE(visit(history, quiet).probe);
    EXPECT_TRUE(visit(history, other).probe);
    const bool other_nodes = &other == others;
    EXPECT_EQ(history.settled(), other_nodes);
    if (other_nodes) { // that is looked at twice
      EXPECT_EQ(history.decision().nodes, 0b11u);
      EXPECT_TRUE(visit(history, other).probe);
      EXPECT_FALSE(history.settled());
      EXPECT_FALSE(history.steady()) << "it is the first visit that says so";
    }
    // Fresh averages: as if there had been nothing before.
    RegionHistory fresh;
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

TEST(RegionHistory, TheFaultsOfOneVisitDoNotPutALoopOnOneNode) {
  RegionHistory history;
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
const Decision& audit(RegionHistory& history, const std::vector<NodeMeasurement>& now, const std::vector<NodeMeasurement>& earlier) {
  while (!history.begin_visit(team, rules()).probe) {
  }
  return history.absorb(now, now, earlier, rules());
}

std::vector<NodeMeasurement> sixteen_visits(double us0, double us1) {
  return {measured(4, 16 * 400, 16 * 4 * us0, 0), measured(8, 16 * 800, 16 * 8 * us1, 0)};
}

TEST(RegionHistory, AuditsGoByAllVisitsSinceTheLastOne) {
  RegionHistory history;
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

int probed_visits_until_settled(const std::vector<std::vector<NodeMeasurement>>& visits, bool decides_within_visits) {
  RegionHistory history;
  for (const auto& nodes : visits) {
    if (!history.begin_visit(team, rules()).probe)
      break;
    if (decides_within_visits)
      history.asked_every_time();
    history.absorb(nodes, rules());
  }
  return int(history.probed_visits());
}

TEST(RegionHistory, ADoubtfulPeriodIsNotProbedOnWhereVisitsDecideAgainAnyway) {
  const std::vector doubtful(10, probe(1000, 15, 3000, 45)); // a fault every 67 us, and 100 us is the threshold
  EXPECT_EQ(probed_visits_until_settled(doubtful, false), 10);
  EXPECT_EQ(probed_visits_until_settled(doubtful, true), 3);
}

TEST(RegionHistory, PagesThatSettleAreProbedOn) {
  std::vector<std::vector<NodeMeasurement>> settling;
  for (double faults = 22; settling.size() < 10; faults *= 0.85) // from a fault every 45 us on
    settling.push_back(probe(1000, uint64_t(faults), 3000, uint64_t(3 * faults)));
  EXPECT_GT(probed_visits_until_settled(settling, true), 5);
}

TEST(RegionHistory, ASmallChangeConfirms) {
  RegionHistory history;
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

TEST(RegionHistory, LooksTwiceBeforeOneNodeKeepsTheLoop) {
  RegionHistory history;
  settle(history, clearly_faulting);
  visit(history, clearly_faulting);
  // The other node's pages are cold again after so long; that alone confirms nothing.
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_EQ(visit(history, clearly_faulting).repeats, 63u);
  EXPECT_TRUE(visit(history, clearly_faulting).probe);
  EXPECT_TRUE(visit(history, quiet).probe); // they settled
  EXPECT_FALSE(history.settled());
  EXPECT_EQ(history.decision().nodes, 0b11u);
}

TEST(RegionHistory, SpeedsOfNodesWithoutWorkDoNotContradict) {
  RegionHistory history;
  settle(history, clearly_faulting);
  visit(history, clearly_faulting);
  visit(history, clearly_faulting);
  EXPECT_TRUE(visit(history, probe(1000, 400, 9000, 3600)).probe);
  EXPECT_TRUE(history.settled());
}

TEST(RegionHistory, PredictionsSettleToo) {
  DecisionRules how;
  how.mode = DecisionMode::Predict;
  RegionHistory history;
  settle(history, quiet, how);
  EXPECT_EQ(history.probed_visits(), 3u);
  EXPECT_EQ(history.decision().predicted_us_per_iteration.size(), 3u);
  // Faults that fall by ten on every visit are not taken for what stays.
  RegionHistory settling;
  visit(settling, probe(1000, 4000, 3000, 8000), how);
  EXPECT_EQ(settling.decision().only_node(), 0);
  visit(settling, probe(1000, 400, 3000, 800), how);
  visit(settling, probe(1000, 40, 3000, 80), how);
  EXPECT_EQ(settling.decision().nodes, 0b11u);
}

TEST(RegionHistory, StartsAfreshWithAnotherTeam) {
  RegionHistory history;
  settle(history, quiet);
  EXPECT_TRUE(history.begin_visit({4, 4}, rules()).probe);
  EXPECT_FALSE(history.decided());
  EXPECT_FALSE(history.settled());
  EXPECT_EQ(history.visits(), 1u);
  EXPECT_EQ(history.probed_visits(), 0u);
  const Decision& decision =
      history.absorb({measured(4, 40, 400, 0), measured(4, 40, 400, 0), measured(4, 40, 1600, 0)}, rules(50));
  EXPECT_EQ(decision.speed, (std::vector<double>{4, 4, 1}));
  EXPECT_EQ(history.probed_visits(), 1u);
}

TEST(RegionHistory, DoesNotProbeWhereThereIsNothingToLearn) {
  RegionHistory history;
  EXPECT_FALSE(history.begin_visit({0, 4}, rules(), 1000).probe);
  EXPECT_EQ(history.decision().only_node(), 1);
  const RegionHistory::Visit tiny = history.begin_visit(team, rules(), 23);
  EXPECT_FALSE(tiny.probe); // 12 threads
  EXPECT_GT(tiny.repeats, 0u);
  EXPECT_TRUE(history.begin_visit(team, rules(), 24).probe);
}

TEST(RegionHistory, SurvivesTimesThatCannotBe) {
  for (const double absurd : {0.0, -5.0, std::nan(""), infinity, -infinity, 1e300}) {
    RegionHistory history;
    const Decision& decision = history.absorb(probe(absurd, 3, 2000, 0), rules());
    ASSERT_EQ(decision.speed.size(), 2u);
    for (const double speed : decision.speed) {
      EXPECT_TRUE(std::isfinite(speed) && speed > 0) << absurd;
    }
    EXPECT_DOUBLE_EQ(*std::min_element(decision.speed.begin(), decision.speed.end()), 1.0) << absurd;
    EXPECT_FALSE(std::isnan(decision.fault_period_us)) << absurd;
  }
}

TEST(RegionHistory, KeepsWhatItKnowsOfANodeThatMeasuredNonsense) {
  for (int kind = 0; kind < 4; ++kind) {
    RegionHistory history;
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

TEST(RegionHistory, CallsTwoNodesWithoutMeasurableTimeEqual) {
  RegionHistory history;
  EXPECT_EQ(history.absorb(probe(0, 0, 0, 0), rules()).speed, (std::vector<double>{1, 1}));
}

TEST(RegionHistory, ComesToRestWhateverIsMeasured) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<uint32_t> threads(1 + random() % 64);
    for (uint32_t& count : threads)
      count = static_cast<uint32_t>(random() % 5);
    RegionHistory history;
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
      ASSERT_NE(history.decision().nodes, 0u);
    }
  }
}

} // namespace
} // namespace hetmp::schedulers
