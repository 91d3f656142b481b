// The coordinator against models of its constructs: whatever order nodes come in, everybody gets the right
// answer, once.
#include "runtime/global/coordinator.hpp"

#include "schedulers/arithmetic/deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace hetmp::runtime {
namespace {

using schedulers::Range;
using schedulers::ScheduleKind;

using schedulers::Assignment;
using schedulers::NodeMeasurement;

constexpr double threshold_us = 100;
constexpr uint32_t cpus_of_a_node = 2;

schedulers::DecisionRules rules() {
  schedulers::DecisionRules made;
  made.threshold_us = threshold_us;
  return made;
}

/// A coordinator, and requests as a team's leaders make them. Tickets differ from node numbers on purpose.
class CoordinatorTest : public testing::Test {
 protected:
  static constexpr uint64_t region = 0x4000;

  template <class Content> static Request by(uint32_t node, const Content& content) {
    return {{node, 1000 + node}, content};
  }
  Request barrier(uint32_t node, uint32_t nodes, uint64_t sequence, uint64_t word) {
    return by(node, Request::Barrier{{team, sequence}, NodeSet::first_of(nodes), region, word, 0});
  }
  Request join_of(uint32_t node, uint32_t nodes, uint64_t sequence = 1, bool unplaced = false) {
    return by(node, Request::Join{{team, sequence}, NodeSet::first_of(nodes), region, unplaced, false, 0, false});
  }

  /// The answers that this request makes possible.
  std::vector<Answer> send(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_TRUE(coordinator.handle(made, answers));
    for (const Answer& answer : answers)
      EXPECT_TRUE(answer.to.ticket == 1000 + answer.to.node || answer.to.ticket == 0)
          << "an answer goes to whoever asked, or to the node itself";
    return answers;
  }

  std::vector<uint32_t> any_order(uint32_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  Coordinator coordinator{rules(), std::vector<uint32_t>(most_nodes, cpus_of_a_node)};
  std::mt19937_64 random{7};
  uint64_t team = 1;
};

uint64_t word_of(const Answer& answer) { return std::get<Answer::BarrierOver>(answer.content).word; }

const Assignment& assignment_of(const Answer& answer) { return std::get<Answer::Assigned>(answer.content).assignment; }

std::set<uint32_t> nodes_of(const std::vector<Answer>& answers) {
  std::set<uint32_t> nodes;
  for (const Answer& answer : answers)
    nodes.insert(answer.to.node);
  EXPECT_EQ(nodes.size(), answers.size()) << "a node got two answers";
  return nodes;
}

TEST_F(CoordinatorTest, BarriersLetAllGoWhenTheLastOneComes) {
  for (uint32_t nodes = 1; nodes <= most_nodes; ++nodes)
    for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
      uint64_t expected_word = 0;
      const std::vector<uint32_t> order = any_order(nodes);
      for (uint32_t i = 0; i < nodes; ++i) {
        const uint64_t word = random() & random() & random();
        expected_word |= word;
        const auto answers = send(barrier(order[i], nodes, sequence, word));
        ASSERT_EQ(answers.size(), i + 1 < nodes ? 0 : nodes);
        for (const Answer& answer : answers)
          EXPECT_EQ(word_of(answer), expected_word);
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
    const auto answers = send(barrier(step.node, nodes, step.sequence, bit));
    if (++arrived[{step.team, step.sequence}] < nodes) {
      EXPECT_TRUE(answers.empty());
      continue;
    }
    EXPECT_EQ(nodes_of(answers).size(), nodes);
    for (const Answer& answer : answers)
      EXPECT_EQ(word_of(answer), bit);
  }
}

TEST_F(CoordinatorTest, JoinAnswersTheOriginOnly) {
  for (uint32_t nodes = 1; nodes <= most_nodes; ++nodes, ++team) {
    const std::vector<uint32_t> order = any_order(nodes);
    for (uint32_t i = 0; i < nodes; ++i) {
      const auto answers = send(join_of(order[i], nodes));
      EXPECT_EQ(nodes_of(answers), i + 1 < nodes ? std::set<uint32_t>{} : std::set<uint32_t>{0});
    }
  }
}

/// Loops by policy: requests as nodes make them.
class CoordinatedLoopTest : public CoordinatorTest {
 protected:
  static constexpr const char* source = ";file.c;main;10;3;;";

  Request question(uint32_t node, uint32_t nodes, uint64_t trips, schedulers::Schedule schedule, uint64_t call_site = 1,
                   const NodeMeasurement& done = {}) {
    return by(node, Request::AskLoop{{team, visit},
                                     NodeSet::first_of(nodes),
                                     region,
                                     cpus_of_a_node * nodes,
                                     call_site,
                                     schedule,
                                     trips,
                                     done,
                                     source});
  }

  /// A visit by nodes that execute what they are given at once, `us_per_iteration[node]` an iteration with
  /// `faults_per_iteration[node]`, asking in random order. The iterations that each node got.
  std::vector<uint64_t> run(uint32_t nodes, uint64_t trips, schedulers::Schedule schedule,
                            const std::vector<double>& us_per_iteration,
                            const std::vector<double>& faults_per_iteration, uint64_t call_site = 1) {
    ++visit;
    std::vector<uint64_t> executed(nodes, 0);
    std::vector<bool> taken(trips, false);
    std::vector<NodeMeasurement> done(nodes);
    std::vector<uint32_t> able = any_order(nodes);
    while (!able.empty()) {
      const size_t choice = random() % able.size();
      const uint32_t node = able[choice];
      able.erase(able.begin() + ptrdiff_t(choice));
      for (const Answer& answer : send(question(node, nodes, trips, schedule, call_site, done[node]))) {
        const Assignment& given = assignment_of(answer);
        const uint32_t to = answer.to.node;
        for (uint32_t i = 0; i < given.piece_count; ++i)
          for (uint64_t index = given.pieces[i].begin; index < given.pieces[i].end; ++index) {
            EXPECT_FALSE(taken[index]);
            taken[index] = true;
          }
        executed[to] += given.size();
        done[to] =
            given.measured ? measured(given.size(), us_per_iteration[to], faults_per_iteration[to]) : NodeMeasurement{};
        if (!given.last)
          able.push_back(to);
        else if (given.measured)
          report(to, done[to]);
      }
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), true), ptrdiff_t(trips)) << "every iteration is executed";
    return executed;
  }

  void report(uint32_t node, const NodeMeasurement& done) {
    EXPECT_TRUE(send(by(node, Request::ReportLoop{{team, visit}, done})).empty()) << "a report is not answered";
  }

  static NodeMeasurement measured(uint64_t iterations, double us, double faults) {
    NodeMeasurement done;
    done.threads = cpus_of_a_node;
    done.iterations = iterations;
    done.thread_us = done.busy_us = us * double(iterations);
    done.read_misses = uint64_t(faults * double(iterations));
    return done;
  }

  void join(uint32_t nodes, bool unplaced = false) {
    for (uint32_t node = 0; node < nodes; ++node)
      send(join_of(node, nodes, 1'000'000, unplaced));
    ++team;
  }

  uint64_t visit = 0;
};

const schedulers::Schedule dynamic{.kind = ScheduleKind::Dynamic, .chunk = 3};
const schedulers::Schedule hetprobe{.kind = ScheduleKind::HetProbe};
const schedulers::Schedule hetprobe_i{.kind = ScheduleKind::HetProbeI};
const schedulers::Schedule dynamic_without_chunk{.kind = ScheduleKind::Dynamic};
const schedulers::Schedule placed_static{.kind = ScheduleKind::PlacedStatic};

TEST_F(CoordinatedLoopTest, LoopsOfEveryScheduleAreHandedOutOnce) {
  for (const ScheduleKind kind : {ScheduleKind::PlacedStatic, ScheduleKind::Dynamic, ScheduleKind::Guided,
                                  ScheduleKind::HetProbe, ScheduleKind::HetProbeI})
    for (int turn = 0; turn < 30; ++turn) {
      const uint32_t nodes = 1 + uint32_t(random() % 8);
      std::vector<double> us(nodes), faults(nodes);
      for (uint32_t node = 0; node < nodes; ++node) {
        us[node] = 1 + double(random() % 5);
        faults[node] = random() % 3 == 0 ? 0.5 : 0;
      }
      run(nodes, random() % 3 ? random() % 5000 : random() % 5, {.kind = kind}, us, faults,
          uint64_t(kind) * 100 + turn);
    }
}

TEST_F(CoordinatedLoopTest, ALoopWhoseScheduleNobodyChoseIsOnAllNodesBySpeed) {
  const schedulers::Schedule unsaid{.kind = ScheduleKind::PlacedStatic, .unsaid = true};
  std::vector<uint64_t> shares, alike, asked_for;
  for (int i = 0; i < 3; ++i) {
    shares = run(2, 3000, unsaid, {10, 20}, {0.5, 0.5}, 71);
    alike = run(2, 3000, unsaid, {10, 11.5}, {0.5, 0.5}, 72);
    asked_for = run(2, 3000, placed_static, {10, 20}, {5, 5}, 73);
  }
  EXPECT_NEAR(double(shares[0]), 2000, 30);
  EXPECT_EQ(shares[0] + shares[1], 3000U);
  EXPECT_EQ(alike, (std::vector<uint64_t>{1500, 1500})) << "so little is not worth moving pages";
  EXPECT_LE(asked_for[1], 300U) << "the user's schedule decides by faults";
  asked_for = run(2, 3000, unsaid, {10, 20}, {5, 5}, 73);
  EXPECT_EQ(asked_for, (std::vector<uint64_t>{1500, 1500})) << "and says nothing of the same loop without one";
}

TEST_F(CoordinatedLoopTest, AFinishedLoopLeavesNothingBehind) {
  EXPECT_EQ(run(1, 10, dynamic, {1}, {0})[0], 10u);
  --visit;
  EXPECT_EQ(run(1, 10, dynamic, {1}, {0})[0], 10u) << "the same name again: a new loop";
}

TEST_F(CoordinatedLoopTest, JoinForgetsWhatAnUnfinishedLoopLeft) {
  const auto first = send(question(0, 2, 100, dynamic));
  ASSERT_EQ(first.size(), 1u);
  send(join_of(1, 2, 9));
  send(join_of(0, 2, 9));
  EXPECT_EQ(assignment_of(send(question(0, 2, 100, dynamic)).at(0)), assignment_of(first[0]))
      << "a new team of that name begins anew";
}

TEST_F(CoordinatedLoopTest, AReportOnALoopThatIsNotThereIsRefused) {
  std::vector<Answer> answers;
  EXPECT_FALSE(coordinator.handle(by(0, Request::ReportLoop{{team, visit}, {}}), answers));
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
        const uint32_t to = answer.to.node;
        ASSERT_TRUE(waits[to]);
        ASSERT_EQ(own[to][position[to]], passed);
        waits[to] = false;
        position[to]++;
      }
    };
    uint32_t inside = nodes; // the node in the ordered region, or none
    while (passed < trips) {
      const uint32_t node = uint32_t(random() % nodes);
      std::vector<Answer> answers;
      if (inside < nodes && node == inside) {
        inside = nodes;
        ++passed;
        answers = send(by(node, Request::OrderedPost{{team, loop}, passed}));
      } else if (!waits[node] && node != inside && position[node] < own[node].size()) {
        waits[node] = true;
        answers = send(by(node, Request::OrderedWait{{team, loop}, own[node][position[node]]}));
      }
      ASSERT_LE(answers.size(), 1u);
      if (!answers.empty())
        inside = answers[0].to.node;
      pass(answers);
      if (HasFatalFailure())
        return;
    }
    team++; // the next loop has a fresh beginning
  }
}

TEST_F(CoordinatorTest, ALockIsRecalledFromItsOwnerForWhoAsks) {
  constexpr uint64_t key = 0x7000;
  auto answers = send(by(1, Request::Lock{key}));
  ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{0});
  EXPECT_EQ(std::get<Answer::LockRecalled>(answers[0].content).key, key);
  EXPECT_TRUE(send(by(2, Request::Lock{key})).empty());
  answers = send(by(3, Request::TryLock{key}));
  ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{3});
  EXPECT_FALSE(std::get<Answer::LockTried>(answers[0].content).taken) << "others want it";
  answers = send(by(0, Request::GiveBackLock{key, false}));
  ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{1});
  EXPECT_TRUE(std::get<Answer::LockGranted>(answers[0].content).recalled) << "node 2 waits behind";
  answers = send(by(1, Request::GiveBackLock{key, true}));
  ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{2});
  EXPECT_TRUE(std::get<Answer::LockGranted>(answers[0].content).recalled) << "node 1 wants it again";
  answers = send(by(2, Request::GiveBackLock{key, false}));
  ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{1});
  EXPECT_FALSE(std::get<Answer::LockGranted>(answers[0].content).recalled);
}

TEST_F(CoordinatorTest, ALockIsReleasedWhereItIsOwned) {
  constexpr uint64_t key = 0x7000;
  const auto expect_released_at = [&](uint32_t owner) {
    for (uint32_t by_node : {0, 1, 3}) {
      const auto answers = send(by(by_node, Request::ReleaseLock{key}));
      ASSERT_EQ(nodes_of(answers), std::set<uint32_t>{owner});
      EXPECT_EQ(std::get<Answer::LockReleased>(answers[0].content).key, key);
    }
  };
  expect_released_at(0);
  send(by(1, Request::Lock{key}));
  expect_released_at(0);
  send(by(0, Request::GiveBackLock{key, false}));
  expect_released_at(1);
  send(by(1, Request::GiveBackLock{key, false}));
  expect_released_at(0);
}

TEST_F(CoordinatedLoopTest, LoopsAreDecidedByContent) {
  for (int turn = 0; turn < 40; ++turn) {
    run(2, 1000, hetprobe, {10, 20}, {0, 0}, 1);
    run(2, 1000, hetprobe, {10, 10}, {0, 5}, 2);
  }
  const perf::Report whole = coordinator.report();
  ASSERT_EQ(whole.regions.size(), 2u);
  EXPECT_EQ(whole.regions[0].address, 1u);
  EXPECT_EQ(whole.regions[0].decision, "all nodes") << "of the team, that is";
  EXPECT_NEAR(whole.regions[0].nodes[0].speed, 2, 1e-9);
  EXPECT_NEAR(whole.regions[0].nodes[1].speed, 1, 1e-9);
  EXPECT_EQ(whole.regions[1].address, 2u);
  EXPECT_EQ(whole.regions[1].decision, "node 0");
}

TEST_F(CoordinatedLoopTest, TheReportTellsWhatWasMeasuredAndDecided) {
  run(2, 4000, hetprobe, {10, 20}, {0, 0.25}, 7);
  const perf::Report whole = coordinator.report();
  EXPECT_EQ(whole.nodes, most_nodes);
  ASSERT_EQ(whole.regions.size(), 1u);
  const perf::RegionRecord& region = whole.regions[0];
  EXPECT_EQ(region.source, source);
  EXPECT_EQ(region.address, 7u);
  EXPECT_EQ(region.visits, 1u);
  EXPECT_EQ(region.trips, 4000u);
  EXPECT_EQ(region.probed_visits, 1u);
  EXPECT_EQ(region.threshold_us, threshold_us);
  ASSERT_EQ(region.nodes.size(), most_nodes);
  EXPECT_EQ(region.nodes[0].threads, cpus_of_a_node);
  EXPECT_EQ(region.nodes[0].mean_us, 19000) << "3800 of 4000 iterations, by two threads, 10 us each";
  EXPECT_EQ(region.nodes[1].mean_us, 2000) << "its probe";
  EXPECT_EQ(region.nodes[1].faults, 50u);
  EXPECT_FALSE(region.reason.empty());
  EXPECT_EQ(region.decision, "node 0");
}

TEST_F(CoordinatedLoopTest, StaticLoopsAreDividedByWhatTheVisitsBeforeShowed) {
  const auto first = run(2, 1200, placed_static, {10, 30}, {0, 0});
  EXPECT_EQ(first[0], 600u);
  const auto second = run(2, 1200, placed_static, {10, 30}, {0, 0});
  EXPECT_NEAR(double(second[0]) / double(second[1]), 3, 0.01);
}

TEST_F(CoordinatedLoopTest, ARegionNeedsTheNodesThatItsLoopsNeed) {
  coordinator = Coordinator(rules(), std::vector<uint32_t>(3, cpus_of_a_node));
  EXPECT_EQ(coordinator.nodes_needed(region), NodeSet::all()) << "nothing is known";
  int regions = 0;
  for (; coordinator.nodes_needed(region) != NodeSet::of(0); ++regions) {
    ASSERT_LT(regions, 1000) << "the loop never gets a decision that stands";
    run(3, 900, hetprobe, {10, 10, 10}, {0, 5, 5}, 1);
    join(3);
  }
  EXPECT_GE(regions, 2) << "one visit, whose pages are cold, does not decide for good";
  run(3, 90, hetprobe, {1, 1, 1}, {0, 0, 0}, 2);
  join(3);
  EXPECT_EQ(coordinator.nodes_needed(region), NodeSet::of(0)) << "a loop that is next to nothing does not count";
  run(3, 900'000, hetprobe, {10, 10, 10}, {0, 0, 0}, 3);
  join(3);
  EXPECT_EQ(coordinator.nodes_needed(region), NodeSet::all()) << "a loop without a decision that stands";
  EXPECT_EQ(coordinator.nodes_needed(0x5000), NodeSet::all());
}

TEST_F(CoordinatedLoopTest, ARegionWithUnplacedLoopsNeedsAllNodes) {
  coordinator = Coordinator(rules(), std::vector<uint32_t>(2, cpus_of_a_node));
  for (int turn = 0; turn < 40; ++turn) {
    run(2, 900, hetprobe, {10, 10}, {0, 5}, 1);
    if (turn == 1) {
      EXPECT_EQ(coordinator.placed_loops(region), PlacedLoops::OnNodes) << "one visit decides nothing";
    }
    join(2, true);
  }
  EXPECT_EQ(coordinator.nodes_needed(region), NodeSet::all());
  EXPECT_EQ(coordinator.placed_loops(region), PlacedLoops::OnOrigin);
}

TEST_F(CoordinatedLoopTest, ARegionWithoutPlacedLoopsHasNone) {
  coordinator = Coordinator(rules(), std::vector<uint32_t>(2, cpus_of_a_node));
  join(2, true);
  EXPECT_EQ(coordinator.placed_loops(region), PlacedLoops::None);
  run(2, 900, dynamic_without_chunk, {10, 10}, {0, 5}, 1);
  join(2);
  EXPECT_EQ(coordinator.placed_loops(region), PlacedLoops::None) << "nothing is learned from them";
}

TEST_F(CoordinatedLoopTest, ARegionIsNotLeftToOthersWhileAPolicyNeedsAllNodes) {
  coordinator = Coordinator(rules(), std::vector<uint32_t>(2, cpus_of_a_node));
  for (int turn = 0; turn < 40; ++turn) {
    run(2, 900, hetprobe_i, {10, 10}, {0, 5}, 1);
    join(2, true);
  }
  EXPECT_EQ(coordinator.placed_loops(region), PlacedLoops::OnNodes);
}

TEST_F(CoordinatedLoopTest, TwoVisitsMayOverlap) {
  // With nowait one node may be at the second loop while the other has not finished the first.
  const auto ask = [&](uint32_t node, uint64_t loop, const NodeMeasurement& done) {
    visit = loop;
    return send(question(node, 2, 100, hetprobe, 1, done));
  };
  const auto first = ask(0, 1, {});
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(ask(1, 1, {}).size(), 1u);
  ASSERT_EQ(ask(0, 1, measured(5, 10, 0)).size(), 1u) << "goes on ahead of the slower node";
  const auto second = ask(0, 2, {});
  ASSERT_EQ(second.size(), 1u);
  EXPECT_TRUE(assignment_of(second[0]).measured);
  EXPECT_EQ(assignment_of(second[0]).pieces[0].begin, assignment_of(first[0]).pieces[0].begin)
      << "the other loop has its own iterations";
}

TEST_F(CoordinatorTest, UnsoundRequestsAreRefused) {
  const auto refuses = [&](const Request& made) {
    std::vector<Answer> answers;
    const bool handled = coordinator.handle(made, answers);
    EXPECT_TRUE(answers.empty());
    return !handled;
  };
  const auto in_team = [](NodeSet nodes, uint32_t threads) {
    const ConstructName name{1, 1};
    return std::vector<decltype(Request::content)>{
        Request::Barrier{name, nodes, region, 0, 0},
        Request::Join{name, nodes, region, false, false, 0, false},
        Request::AskLoop{name, nodes, region, threads, 1, dynamic, 10, {}, {}},
        Request::OfferCopies{name, nodes, 0x1000, false},
        Request::TakeCopies{name, nodes, 1},
        Request::ReleaseCopies{name, nodes},
        Request::Cancel{1, nodes, 2, 0},
    };
  };
  coordinator = Coordinator(rules(), std::vector<uint32_t>(4, cpus_of_a_node));
  for (const auto& content : in_team(NodeSet::first_of(5), 10))
    EXPECT_TRUE(refuses({{1, 1}, content})) << "a team of nodes that there are not";
  for (const auto& content : in_team(NodeSet::first_of(2), 4))
    EXPECT_TRUE(refuses({{2, 1}, content})) << "by a node that is not in the team";
  for (const auto& content : in_team(NodeSet::of(1).with(2), 4))
    EXPECT_TRUE(refuses({{1, 1}, content})) << "a team without the origin";
  for (const auto& content : in_team(NodeSet(), 4))
    EXPECT_TRUE(refuses({{0, 1}, content}));
  EXPECT_TRUE(refuses({{0, 1}, in_team(NodeSet::first_of(3), 2)[2]})) << "a node without a thread";
  for (const decltype(Request::content)& content :
       {decltype(Request::content)(Request::Lock{8}), decltype(Request::content)(Request::AskIdle{1}),
        decltype(Request::content)(Request::OrderedWait{{1, 1}, 0})}) {
    EXPECT_TRUE(refuses({{4, 1}, content})) << "by a node that there is not";
    EXPECT_TRUE(refuses({{UINT32_MAX, 1}, content}));
  }
}

} // namespace
} // namespace hetmp::runtime
