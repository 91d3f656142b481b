// The coordinator against models of its constructs: whatever order nodes come in, everybody gets the right
// answer, once.
#include "runtime/global/coordinator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace hetmp::runtime {
namespace {

using Kind = Request::Kind;
using schedulers::Range;
using schedulers::ScheduleKind;

constexpr double threshold_us = 100;

/// A coordinator, and requests as a team's leaders make them. Tickets differ from node numbers on purpose.
class CoordinatorTest : public testing::Test {
 protected:
  Request request(Kind kind, uint32_t node, uint32_t nodes, uint64_t sequence = 1, uint64_t word = 0) {
    Request made;
    made.kind = kind;
    made.node = node;
    made.ticket = 1000 + node;
    made.nodes = nodes;
    made.threads = 2 * nodes;
    made.local_threads = 2;
    made.team = team;
    made.sequence = sequence;
    made.word = word;
    return made;
  }

  /// The answers that this request makes possible.
  std::vector<Answer> send(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_TRUE(coordinator.handle(made, answers));
    for (const Answer& answer : answers)
      EXPECT_EQ(answer.ticket, 1000 + answer.node) << "an answer goes to whoever asked";
    return answers;
  }
  std::vector<Answer> send(Kind kind, uint32_t node, uint32_t nodes, uint64_t sequence = 1,
                           uint64_t word = 0) {
    return send(request(kind, node, nodes, sequence, word));
  }

  std::vector<uint32_t> any_order(uint32_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  Coordinator coordinator{threshold_us};
  std::mt19937_64 random{7};
  uint64_t team = 1;
};

std::set<uint32_t> nodes_of(const std::vector<Answer>& answers) {
  std::set<uint32_t> nodes;
  for (const Answer& answer : answers)
    nodes.insert(answer.node);
  EXPECT_EQ(nodes.size(), answers.size()) << "a node got two answers";
  return nodes;
}

TEST_F(CoordinatorTest, BarriersLetAllGoWhenTheLastOneComes) {
  for (uint32_t nodes = 1; nodes <= LoopPlan::most_nodes; ++nodes)
    for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
      uint64_t expected_word = 0;
      const std::vector<uint32_t> order = any_order(nodes);
      for (uint32_t i = 0; i < nodes; ++i) {
        const uint64_t word = random() & random() & random();
        expected_word |= word;
        const auto answers = send(Kind::Barrier, order[i], nodes, sequence, word);
        ASSERT_EQ(answers.size(), i + 1 < nodes ? 0 : nodes);
        for (const Answer& answer : answers)
          EXPECT_EQ(answer.word, expected_word);
        nodes_of(answers);
      }
    }
}

TEST_F(CoordinatorTest, BarriersOfSeveralTeamsAndStepsDoNotMix) {
  struct Step {
    uint64_t team, sequence;
    uint32_t node;
  };
  constexpr uint32_t nodes = 3;
  std::vector<Step> steps;
  for (uint64_t which = 1; which <= 4; ++which)
    for (uint64_t sequence = 1; sequence <= 4; ++sequence)
      for (uint32_t node = 0; node < nodes; ++node)
        steps.push_back({which, sequence, node});
  std::shuffle(steps.begin(), steps.end(), random);
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> arrived;
  for (const Step& step : steps) {
    team = step.team;
    const uint64_t bit = uint64_t(1) << (step.team * 4 + step.sequence);
    const auto answers = send(Kind::Barrier, step.node, nodes, step.sequence, bit);
    if (++arrived[{step.team, step.sequence}] < nodes) {
      EXPECT_TRUE(answers.empty());
      continue;
    }
    EXPECT_EQ(nodes_of(answers).size(), nodes);
    for (const Answer& answer : answers)
      EXPECT_EQ(answer.word, bit);
  }
}

TEST_F(CoordinatorTest, JoinAnswersTheOriginOnly) {
  for (uint32_t nodes = 1; nodes <= LoopPlan::most_nodes; ++nodes, ++team) {
    const std::vector<uint32_t> order = any_order(nodes);
    for (uint32_t i = 0; i < nodes; ++i) {
      const auto answers = send(Kind::Join, order[i], nodes);
      EXPECT_EQ(nodes_of(answers), i + 1 < nodes ? std::set<uint32_t>{} : std::set<uint32_t>{0});
    }
  }
}

TEST_F(CoordinatorTest, PoolsHandOutEachIterationOnce) {
  for (int visit = 0; visit < 300; ++visit) {
    const uint32_t nodes = 1 + uint32_t(random() % 8);
    const uint64_t trips = random() % 3 ? random() % 2000 : random() % 5;
    const PoolShape shape{trips, random() % 2 ? ScheduleKind::Dynamic : ScheduleKind::Guided,
                          1 + random() % 9, 2 * nodes};
    std::vector<uint32_t> asking = any_order(nodes);
    uint64_t handed_out = 0;
    while (!asking.empty()) {
      const size_t choice = random() % asking.size();
      Request fetch = request(Kind::Fetch, asking[choice], nodes, uint64_t(visit));
      fetch.shape = shape;
      const auto answers = send(fetch);
      ASSERT_EQ(answers.size(), 1u);
      ASSERT_EQ(answers[0].node, asking[choice]);
      const Range range = answers[0].range;
      if (range.empty()) {
        EXPECT_EQ(handed_out, trips) << "nobody stops before all is handed out";
        asking.erase(asking.begin() + ptrdiff_t(choice));
        continue;
      }
      ASSERT_EQ(range.begin, handed_out) << "ascending, without holes or repetitions";
      ASSERT_LE(range.end, trips);
      ASSERT_TRUE(range.size() >= 2 || range.end == trips) << "enough for the node's threads";
      handed_out = range.end;
    }
  }
}

TEST_F(CoordinatorTest, AFinishedPoolLeavesNothingBehind) {
  Request fetch = request(Kind::Fetch, 0, 1, 5);
  fetch.shape = {10, ScheduleKind::Dynamic, 5, 2};
  EXPECT_EQ(send(fetch)[0].range, (Range{0, 10}));
  EXPECT_TRUE(send(fetch)[0].range.empty());
  EXPECT_EQ(send(fetch)[0].range, (Range{0, 10})) << "the same name again: a new pool";
}

TEST_F(CoordinatorTest, JoinForgetsWhatAnUnfinishedLoopLeft) {
  Request fetch = request(Kind::Fetch, 0, 2, 5);
  fetch.shape = {100, ScheduleKind::Dynamic, 5, 4};
  EXPECT_EQ(send(fetch)[0].range, (Range{0, 10}));
  send(Kind::Join, 1, 2, 9);
  send(Kind::Join, 0, 2, 9);
  EXPECT_EQ(send(fetch)[0].range, (Range{0, 10})) << "a new team of that name begins anew";
}

TEST_F(CoordinatorTest, OrderedLetsIterationsThroughInTheirOrder) {
  for (uint64_t loop = 1; loop <= 40; ++loop) {
    const uint32_t nodes = 2 + uint32_t(random() % 6);
    const uint64_t trips = nodes + random() % 30;
    // Iterations belong to nodes at random; a node asks for its next one once it has passed the one before.
    std::vector<std::vector<uint64_t>> own(nodes);
    for (uint64_t i = 0; i < trips; ++i)
      own[random() % nodes].push_back(i);
    std::vector<size_t> position(nodes, 0);
    std::vector<bool> waits(nodes, false);
    uint64_t passed = 0;
    const auto pass = [&](const std::vector<Answer>& answers) {
      for (const Answer& answer : answers) {
        ASSERT_TRUE(waits[answer.node]);
        ASSERT_EQ(own[answer.node][position[answer.node]], passed);
        waits[answer.node] = false;
        position[answer.node]++;
      }
    };
    uint32_t inside = nodes; // the node in the ordered region, or none
    while (passed < trips) {
      const uint32_t node = uint32_t(random() % nodes);
      std::vector<Answer> answers;
      if (inside < nodes && node == inside) {
        inside = nodes;
        ++passed;
        answers = send(Kind::OrderedPost, node, nodes, loop, passed);
      } else if (!waits[node] && node != inside && position[node] < own[node].size()) {
        waits[node] = true;
        answers = send(Kind::OrderedWait, node, nodes, loop, own[node][position[node]]);
      }
      ASSERT_LE(answers.size(), 1u);
      if (!answers.empty())
        inside = answers[0].node;
      pass(answers);
      if (HasFatalFailure())
        return;
    }
    team++; // the next loop has a fresh beginning
  }
}

TEST_F(CoordinatorTest, LocksAreHeldByOneAndGoToWhoWaitedLongest) {
  constexpr uint32_t nodes = 9;
  constexpr uint64_t keys = 4;
  struct State {
    uint32_t holder = nodes; ///< none
    std::vector<uint32_t> queue;
  };
  std::map<uint64_t, State> model;
  std::vector<bool> busy(nodes, false); // holds or waits for a lock
  std::vector<uint64_t> key_of(nodes, 0);
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t node = uint32_t(random() % nodes);
    if (!busy[node]) {
      const uint64_t key = 0x7000 + random() % keys;
      State& lock = model[key];
      const bool tries = random() % 3 == 0;
      const auto answers = send(tries ? Kind::TryLock : Kind::Lock, node, 1, 0, key);
      const bool free = lock.holder == nodes;
      ASSERT_EQ(answers.size(), tries || free ? 1u : 0u);
      if (tries) {
        ASSERT_EQ(answers[0].word, free ? 1u : 0u);
      }
      if (free)
        lock.holder = node;
      else if (!tries)
        lock.queue.push_back(node);
      busy[node] = free || !tries;
      key_of[node] = key;
    } else if (State& lock = model[key_of[node]]; lock.holder == node) {
      const auto answers = send(Kind::Unlock, node, 1, 0, key_of[node]);
      busy[node] = false;
      if (lock.queue.empty()) {
        ASSERT_TRUE(answers.empty());
        lock.holder = nodes;
      } else {
        ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{lock.queue.front()});
        lock.holder = lock.queue.front();
        lock.queue.erase(lock.queue.begin());
      }
    }
  }
}

/// HetProbe loops: each visit asks for the plan on all nodes, and reports if told to probe.
class HetProbeTest : public CoordinatorTest {
 protected:
  static constexpr const char* source = ";file.c;main;10;3;;";

  Request plan_request(uint32_t node, uint32_t nodes, uint64_t microtask, uint64_t trips) {
    Request plan = request(Kind::Plan, node, nodes, visit, microtask);
    plan.trips = trips;
    plan.source_length = uint32_t(strlen(source));
    memcpy(plan.source, source, plan.source_length);
    return plan;
  }

  /// All nodes ask, in any order; they must get the same.
  LoopPlan ask(uint32_t nodes, uint64_t microtask = 1, uint64_t trips = 1000) {
    ++visit;
    LoopPlan common;
    bool first = true;
    for (uint32_t node : any_order(nodes)) {
      const auto answers = send(plan_request(node, nodes, microtask, trips));
      EXPECT_EQ(nodes_of(answers), std::set<uint32_t>{node}) << "a plan is not waited for";
      expect_same(first ? answers.at(0).plan : common, answers.at(0).plan);
      common = answers.at(0).plan;
      first = false;
    }
    return common;
  }

  /// All nodes report on the visit just asked about.
  LoopPlan report(const std::vector<ProbeReport>& reports) {
    const uint32_t nodes = uint32_t(reports.size());
    std::vector<Answer> answers;
    uint32_t count = 0;
    for (uint32_t node : any_order(nodes)) {
      Request probe = request(Kind::Probe, node, nodes, visit);
      probe.report = reports[node];
      answers = send(probe);
      EXPECT_EQ(answers.size(), ++count < nodes ? 0u : nodes);
    }
    nodes_of(answers);
    for (const Answer& answer : answers)
      expect_same(answers[0].plan, answer.plan);
    return answers.empty() ? LoopPlan{} : answers[0].plan;
  }

  static void expect_same(const LoopPlan& a, const LoopPlan& b) {
    EXPECT_EQ(a.action, b.action);
    EXPECT_EQ(a.only_node, b.only_node);
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_TRUE(std::equal(a.speed, a.speed + LoopPlan::most_nodes, b.speed));
  }

  uint64_t visit = 0;
};

TEST_F(HetProbeTest, ProbesFirstThenKeepsItsDecision) {
  // Node 1's threads need twice as long for as many iterations; hardly any faults.
  const std::vector<ProbeReport> reports = {{100, 0, 200, 2}, {200, 1, 200, 2}};
  uint32_t probes = 0;
  LoopPlan plan = ask(2);
  while (plan.action == LoopPlan::Action::Probe) {
    ASSERT_LT(probes++, 1000u) << "it never settles";
    plan = report(reports);
    EXPECT_EQ(plan.action, LoopPlan::Action::Split);
    EXPECT_NEAR(plan.speed[0], 2, 1e-9);
    EXPECT_NEAR(plan.speed[1], 1, 1e-9);
    plan = ask(2);
  }
  EXPECT_EQ(probes, schedulers::RegionHistory::usual_probes);
  for (int later = 0; later < 5; ++later) {
    EXPECT_EQ(plan.action, LoopPlan::Action::Split);
    EXPECT_NEAR(plan.speed[0], 2, 1e-9);
    plan = ask(2);
  }
}

TEST_F(HetProbeTest, ManyFaultsKeepTheLoopOnTheOrigin) {
  EXPECT_EQ(ask(3).action, LoopPlan::Action::Probe);
  const LoopPlan plan = report({{100, 0, 100, 2}, {100, 500, 100, 2}, {100, 500, 100, 2}});
  EXPECT_EQ(plan.action, LoopPlan::Action::OneNode);
  EXPECT_EQ(plan.only_node, 0u);
  EXPECT_EQ(plan.nodes, 3u);
}

TEST_F(HetProbeTest, DecidesForEachLoopByContent) {
  const std::vector<ProbeReport> few = {{100, 0, 100, 2}, {100, 0, 100, 2}};
  const std::vector<ProbeReport> many = {{100, 0, 100, 2}, {100, 900, 100, 2}};
  for (uint32_t i = 0; i < schedulers::RegionHistory::usual_probes; ++i) {
    ASSERT_EQ(ask(2, 1).action, LoopPlan::Action::Probe);
    report(few);
    ASSERT_EQ(ask(2, 2).action, LoopPlan::Action::Probe);
    report(many);
  }
  EXPECT_EQ(ask(2, 1).action, LoopPlan::Action::Split);
  EXPECT_EQ(ask(2, 2).action, LoopPlan::Action::OneNode);
  const perf::Report whole = coordinator.report(2);
  ASSERT_EQ(whole.regions.size(), 2u);
  EXPECT_EQ(whole.regions[0].address, 1u);
  EXPECT_EQ(whole.regions[1].address, 2u);
}

TEST_F(HetProbeTest, ADecisionForOtherNodesDoesNotCount) {
  for (uint32_t i = 0; i < schedulers::RegionHistory::usual_probes; ++i) {
    ask(2);
    report({{100, 0, 100, 2}, {100, 0, 100, 2}});
  }
  EXPECT_EQ(ask(2).action, LoopPlan::Action::Split);
  EXPECT_EQ(ask(4).action, LoopPlan::Action::Probe);
  report({{100, 0, 100, 2}, {100, 0, 100, 2}, {100, 0, 100, 2}, {300, 0, 100, 2}});
  EXPECT_EQ(ask(4).action, LoopPlan::Action::Probe) << "a fresh history";
}

TEST_F(HetProbeTest, TwoVisitsMayOverlap) {
  // With nowait one node may be at the second loop while the other has not finished the first.
  const auto plan_of = [&](uint32_t node, uint64_t loop) {
    visit = loop;
    return send(plan_request(node, 2, loop, 100)).at(0).plan;
  };
  const auto probe = [&](uint32_t node, uint64_t loop, double mean_us) {
    Request made = request(Kind::Probe, node, 2, loop);
    made.report = {mean_us, 0, 100, 2};
    return send(made);
  };
  EXPECT_EQ(plan_of(0, 1).action, LoopPlan::Action::Probe);
  EXPECT_TRUE(probe(0, 1, 100).empty());
  EXPECT_EQ(plan_of(1, 1).action, LoopPlan::Action::Probe);
  EXPECT_EQ(plan_of(0, 2).action, LoopPlan::Action::Probe);
  EXPECT_TRUE(probe(0, 2, 500).empty());
  const auto first = probe(1, 1, 300);
  ASSERT_EQ(nodes_of(first).size(), 2u);
  EXPECT_NEAR(first[0].plan.speed[0], 3, 1e-9);
  EXPECT_EQ(plan_of(1, 2).action, LoopPlan::Action::Probe);
  const auto second = probe(1, 2, 100);
  ASSERT_EQ(nodes_of(second).size(), 2u);
  EXPECT_NEAR(second[0].plan.speed[1], 5, 1e-9);
}

TEST_F(HetProbeTest, TheReportTellsWhatWasMeasuredAndDecided) {
  ask(2, 7, 4000);
  report({{100, 0, 400, 2}, {50, 2, 200, 1}});
  ask(2, 7, 5000);
  const perf::Report whole = coordinator.report(2);
  EXPECT_EQ(whole.nodes, 2u);
  ASSERT_EQ(whole.regions.size(), 1u);
  const perf::RegionRecord& region = whole.regions[0];
  EXPECT_EQ(region.source, source);
  EXPECT_EQ(region.address, 7u);
  EXPECT_EQ(region.visits, 2u);
  EXPECT_EQ(region.trips, 5000u);
  EXPECT_EQ(region.probed_visits, 1u);
  EXPECT_EQ(region.most_probes, schedulers::RegionHistory::usual_probes);
  EXPECT_EQ(region.threshold_us, threshold_us);
  ASSERT_EQ(region.nodes.size(), 2u);
  EXPECT_EQ(region.nodes[0].threads, 2u);
  EXPECT_EQ(region.nodes[0].mean_us, 100);
  EXPECT_EQ(region.nodes[1].threads, 1u);
  EXPECT_EQ(region.nodes[1].mean_us, 50);
  EXPECT_EQ(region.nodes[1].faults, 2u);
  EXPECT_FALSE(region.reason.empty());
  EXPECT_EQ(region.decision, region.fault_period_us < threshold_us ? "node 0" : "all nodes");
}

TEST_F(CoordinatorTest, UnsoundRequestsAreRefused) {
  const auto refuses = [&](const Request& made) {
    std::vector<Answer> answers;
    const bool handled = coordinator.handle(made, answers);
    EXPECT_TRUE(answers.empty());
    return !handled;
  };
  for (Kind kind : {Kind::Barrier, Kind::Join, Kind::Fetch, Kind::OrderedWait, Kind::OrderedPost, Kind::Plan,
                    Kind::Probe, Kind::Lock, Kind::TryLock, Kind::Unlock}) {
    EXPECT_TRUE(refuses(request(kind, 0, 0)));
    EXPECT_TRUE(refuses(request(kind, 0, LoopPlan::most_nodes + 1)));
    EXPECT_TRUE(refuses(request(kind, LoopPlan::most_nodes, 1)));
    Request long_source = request(kind, 0, 2);
    long_source.source_length = Request::longest_source + 1;
    EXPECT_TRUE(refuses(long_source));
  }
  EXPECT_TRUE(refuses(request(Kind(77), 0, 2)));
}

} // namespace
} // namespace hetmp::runtime
