#include "policy_world.hpp"
#include "random_loops.hpp"
#include "schedulers/hetprobe.hpp"
#include "schedulers/probe.hpp"

#include <bit>
#include <cmath>

namespace hetmp::schedulers {
namespace {

using Distribution = Assignment::Distribution;

/// A probe as the node would report it: so long for each iteration of a thread, so many faults.
NodeMeasurement took(const Assignment& assignment, uint32_t threads, double us, uint64_t faults = 0) {
  NodeMeasurement result;
  result.iterations = assignment.size();
  result.thread_us = us * static_cast<double>(assignment.size());
  result.threads = threads;
  result.span_us = result.thread_us / threads;
  result.write_misses = faults;
  return result;
}

std::vector<Range> pieces(const Assignment& assignment) {
  return {assignment.pieces, assignment.pieces + assignment.piece_count};
}

/// Nodes that ask in an order the test chooses. Keeps what they were given. Of what comes after its probe a node tells
/// nothing: its report is empty.
class Visit {
 public:
  Visit(const LoopShape& shape, double percent, RegionHistory& history, const DecisionRules& rules)
      : shape_(shape), policy_(shape, percent, history, rules), latest(shape.nodes()), total(shape.nodes()) {}

  /// The nodes answered, in order.
  std::vector<uint32_t> ask(uint32_t node, const NodeMeasurement& done = {}) {
    std::vector<Reply> replies;
    policy_.ask(node, done, replies);
    std::vector<uint32_t> answered;
    for (const Reply& reply : replies) {
      answered.push_back(reply.node);
      latest[reply.node] = reply.assignment;
      for (const Range& piece : pieces(reply.assignment))
        given.push_back(piece);
      total[reply.node] += reply.assignment.size();
      if (reply.assignment.last && reply.assignment.measured)
        policy_.report(reply.node, {.threads = shape_.threads[reply.node]});
    }
    return answered;
  }
  /// A question that is answered at once.
  const Assignment& get(uint32_t node, const NodeMeasurement& done = {}) {
    EXPECT_EQ(ask(node, done), std::vector<uint32_t>{node});
    return latest[node];
  }
  /// Back from the probe.
  std::vector<uint32_t> report(uint32_t node, double us, uint64_t faults = 0) {
    return ask(node, took(latest[node], shape_.threads[node], us, faults));
  }
  void everybody_comes() {
    for (uint32_t i = 0; i < shape_.nodes(); ++i)
      if (shape_.threads[i] > 0)
        get(i);
  }
  /// Every node asks until it has nothing left: after a probed visit the history has decided.
  void complete() {
    for (uint32_t i = 0; i < shape_.nodes(); ++i)
      while (shape_.threads[i] > 0 && !latest[i].last)
        ask(i);
    expect_done();
  }
  void expect_done() {
    EXPECT_TRUE(policy_.finished());
    expect_tiles(given, {0, shape_.trips});
  }
  bool finished() const { return policy_.finished(); }

 private:
  LoopShape shape_;
  HetProbePolicy policy_;

 public:
  std::vector<Assignment> latest;
  std::vector<uint64_t> total; ///< iterations that each node was given
  std::vector<Range> given;
};

class HetProbe : public testing::Test {
 protected:
  Visit visit(const LoopShape& shape, double percent = 10) { return Visit(shape, percent, history, rules); }

  /// Runs visits of two nodes until the decision stands.
  void settle(const LoopShape& shape, double us0, double us1, uint64_t faults) {
    for (int i = 0; i < 10 && !history.settled(); ++i) {
      Visit probing = visit(shape);
      probing.everybody_comes();
      probing.report(0, us0, faults);
      probing.report(1, us1, faults);
      probing.complete();
    }
    ASSERT_TRUE(history.settled());
  }

  const LoopShape shape{12000, {4, 8}};
  const LoopShape even{12000, {4, 4}};
  RegionHistory history;
  DecisionRules rules;
};

TEST_F(HetProbe, GivesEachNodeTheProbesOfItsThreads) {
  for (int number = 0; number < 3; ++number) { // whatever the decision and the order
    Visit probing = visit(even);
    const Assignment& second = probing.get(number % 2 ? 0 : 1);
    const Assignment& first = probing.get(number % 2 ? 1 : 0);
    EXPECT_TRUE(first.measured && second.measured);
    EXPECT_FALSE(first.last || second.last);
    EXPECT_EQ(first.distribution, Distribution::EqualShares);
    EXPECT_EQ(pieces(probing.latest[1]), (std::vector<Range>{{0, 600}}));
    EXPECT_EQ(pieces(probing.latest[0]), (std::vector<Range>{{600, 1200}}));
    probing.report(0, 10, 1000);
    probing.report(1, 10, 1000);
    probing.complete();
    EXPECT_EQ(history.decision().only_node(), 0);
  }
}

TEST_F(HetProbe, CountsThreadsPastNodesThatHaveNone) {
  Visit probing = visit({1000, {2, 0, 3, 0, 5}}, 50);
  probing.everybody_comes();
  EXPECT_EQ(pieces(probing.latest[2]), (std::vector<Range>{{0, 150}}));
  EXPECT_EQ(pieces(probing.latest[4]), (std::vector<Range>{{150, 400}}));
  EXPECT_EQ(pieces(probing.latest[0]), (std::vector<Range>{{400, 500}}));
  for (const uint32_t node : {0, 2, 4})
    probing.report(node, 10);
  probing.complete();
  EXPECT_EQ(history.decision().nodes, 0b10101u);
}

TEST_F(HetProbe, DividesTheRestWhenTheLastNodeHasReported) {
  rules.exchange_us = 10;
  Visit probing = visit(shape);
  probing.everybody_comes();
  // Back first: works ahead, at the front of the third of the rest that its four threads would get.
  probing.report(0, 10);
  const Assignment ahead = probing.latest[0];
  EXPECT_EQ(pieces(ahead), (std::vector<Range>{{1200, 1240}}));
  EXPECT_EQ(ahead.distribution, Distribution::Chunks);
  EXPECT_EQ(ahead.chunk, 2u);
  EXPECT_TRUE(ahead.measured);
  EXPECT_FALSE(ahead.last);

  // 3 x 4 to 1 x 8 of 10800: 6480 and 4320, of which node 0 has 40 in hand.
  EXPECT_EQ(probing.report(1, 30), std::vector<uint32_t>{1});
  // Both get twice what they have told of at first, from the ends that do not meet.
  EXPECT_EQ(pieces(probing.latest[1]), (std::vector<Range>{{10400, 12000}}));
  EXPECT_FALSE(probing.latest[1].last);
  EXPECT_TRUE(probing.latest[1].measured);
  EXPECT_EQ(pieces(probing.get(0)), (std::vector<Range>{{1240, 2040}}));
  EXPECT_FALSE(probing.latest[0].last);
  EXPECT_FALSE(history.decided()) << "both are still at it";
  probing.complete();
  EXPECT_EQ(probing.latest[0].repeats, 0u);
  EXPECT_TRUE(history.decided());
}

TEST_F(HetProbe, BordersMoveWithWhatThePartsShow) {
  rules.exchange_us = 10;
  Visit probing = visit(even);
  probing.everybody_comes();
  probing.report(0, 10);
  probing.report(1, 10); // a lie: it will need three times that
  // 5400 for each are left, of which node 0 has a batch of 40.
  EXPECT_EQ(pieces(probing.latest[1]), (std::vector<Range>{{10800, 12000}}));
  EXPECT_EQ(probing.get(0, took(probing.latest[0], 4, 10)).size(), 1280u);
  EXPECT_EQ(probing.get(0, took(probing.latest[0], 4, 10)).size(), 2040u); // half of what is left of 5400
  // Node 1 tells of its 1200 at last: of the 10800 it is to do a quarter, and gets half of what is missing of that, alike for its threads.
  EXPECT_EQ(probing.get(1, took(probing.latest[1], 4, 30)).size(), 748u);
  probing.complete();
}

/// Whatever the probes say: nodes that they misjudge have little in hand when the others are done. What disturbs a probe
/// takes its time, of course.
TEST_F(HetProbe, AMisleadingProbeCostsLittle) {
  for (const double lie : {0.3, 0.5, 0.8, 1.3, 2.0, 4.0}) {
    const LoopShape team{48000, {4, 4}};
    RegionHistory fresh;
    HetProbePolicy policy(team, 10, fresh, rules);
    PolicyWorld world(team, policy, 5);
    world.cost = [&](uint32_t node, Range chunk, double) {
      const double honest = (node == 0 ? 20.0 : 30.0) * static_cast<double>(chunk.size());
      return ChunkCost{node == 1 && chunk.begin < 4800 ? lie * honest : honest};
    };
    world.run();
    world.expect_complete();
    const double lost_us = (lie - 1) * 30.0 * 2400 / 4;
    const double optimum = (48000 + lost_us * 4 / 30.0) / (4 / 20.0 + 4 / 30.0);
    EXPECT_LT(world.makespan_us(), 1.05 * optimum) << "the probe was off by " << lie;
  }
}

TEST_F(HetProbe, SizesBatchesByTheCostOfAnExchange) {
  // 400 iterations of four threads, 10 us each: 0.4 a microsecond.
  const std::pair<double, uint64_t> sizes[] = {{100, 200}, {25, 100}, {2, 8}, {0.1, 4}, {0, 4}, {1e300, 200}};
  for (const auto& [exchange_us, size] : sizes) {
    rules.exchange_us = exchange_us;
    history = {};
    Visit probing = visit(shape);
    probing.everybody_comes();
    probing.report(0, 10);
    EXPECT_EQ(probing.latest[0].size(), size) << exchange_us;
  }
  for (const double absurd : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    history = {};
    Visit probing = visit(shape);
    probing.everybody_comes();
    probing.report(0, absurd);
    EXPECT_GE(probing.latest[0].size(), 4u) << absurd;
    EXPECT_LE(probing.latest[0].size(), 200u) << absurd;
  }
}

TEST_F(HetProbe, WorksAheadOnTheLargestRegionAfterItsOwn) {
  // 3 threads, 20 % of 300: probes of 20; 80 of the rest for each; batches of 10.
  Visit probing = visit({300, {1, 1, 1}}, 20);
  probing.everybody_comes();
  probing.report(0, 100);
  EXPECT_EQ(pieces(probing.latest[0]), (std::vector<Range>{{60, 70}}));
  probing.report(1, 100);
  EXPECT_EQ(pieces(probing.latest[1]), (std::vector<Range>{{140, 150}}));
  for (int batch = 1; batch < 8; ++batch)
    probing.get(0);
  EXPECT_EQ(pieces(probing.latest[0]), (std::vector<Range>{{130, 140}})); // the end of its own
  EXPECT_EQ(pieces(probing.get(0)), (std::vector<Range>{{290, 300}}));    // node 2's, which is still whole
  EXPECT_EQ(pieces(probing.get(0)),
            (std::vector<Range>{{210, 220}})); // then node 1's: among equals the first
  EXPECT_EQ(pieces(probing.get(1)), (std::vector<Range>{{150, 160}})); // the owner goes on from the front
  probing.report(2, 100);
  probing.complete();
}

TEST_F(HetProbe, NeedsNobodyToWaitWhenAllIsTakenAhead) {
  Visit probing = visit({300, {1, 1}}, 20);
  probing.everybody_comes();
  probing.report(0, 1);
  while (!probing.latest[0].last)
    probing.get(0);
  EXPECT_EQ(probing.latest[0].size(), 0u);
  EXPECT_FALSE(history.decided());
  EXPECT_FALSE(probing.finished());
  EXPECT_EQ(probing.report(1, 300), std::vector<uint32_t>{1});
  EXPECT_TRUE(probing.latest[1].last);
  EXPECT_EQ(probing.latest[1].size(), 0u);
  EXPECT_EQ(history.decision().speed, (std::vector<double>{300, 1}));
  probing.expect_done();
}

TEST_F(HetProbe, ANodeThatIsLateForTheVisitStillGetsItsProbe) {
  Visit probing = visit({300, {1, 1}}, 20);
  probing.get(0);
  probing.report(0, 1);
  while (!probing.latest[0].last)
    probing.get(0);
  EXPECT_EQ(pieces(probing.get(1)), (std::vector<Range>{{0, 30}}));
  probing.report(1, 1);
  probing.expect_done();
  EXPECT_TRUE(history.decided());
}

TEST_F(HetProbe, ANodeWithoutWorkByTheDecisionInForceWaits) {
  Visit first = visit(even);
  first.everybody_comes();
  first.report(0, 10, 400);
  first.report(1, 10, 400);
  first.complete();
  ASSERT_EQ(history.decision().only_node(), 0);

  Visit second = visit(even);
  second.everybody_comes();
  EXPECT_TRUE(second.report(1, 10).empty()); // no batch: the pages would have to come back
  EXPECT_EQ(second.report(0, 10), (std::vector<uint32_t>{1, 0}));
  EXPECT_TRUE(second.latest[1].last && second.latest[0].last);
  second.expect_done();
}

TEST_F(HetProbe, NodesLeaveAndJoinByDecision) {
  std::vector<uint64_t> used;
  for (int number = 0; number < 12; ++number) {
    Visit probing = visit(even);
    probing.everybody_comes();
    if (!probing.latest[0].last) {
      const uint64_t faults = number < 3 ? 4000 : 0; // cold, then settled
      probing.report(0, 10, faults);
      probing.report(1, 10, faults);
    }
    const bool divided_at_once = history.decided() && history.decision().uses(1);
    probing.complete();
    used.push_back(history.decision().nodes);
    const uint64_t probe = 600;
    EXPECT_EQ(probing.total[1] > probe, divided_at_once || history.decision().uses(1)) << number;
  }
  EXPECT_EQ(used.front(), 0b01u);
  EXPECT_EQ(used.back(), 0b11u);
}

TEST_F(HetProbe, ANodeWithMoreInHandThanItsShareGetsNoMore) {
  Visit probing = visit({1000, {1, 1, 1}}, 30);
  probing.everybody_comes();
  probing.report(0, 100);
  probing.report(1, 100000);               // a batch of 50 in hand, and a thousand times slower
  EXPECT_EQ(probing.latest[1].size(), 1u); // sized by its rate
  probing.report(2, 100);
  EXPECT_EQ(probing.get(1).size(), 0u); // negligible
  probing.get(0);
  // 700 left less the one in hand: 349 and 350, of which node 0 had 10 ahead; half of them at first.
  EXPECT_NEAR(static_cast<double>(probing.latest[0].size()), 339.5 / 2, 1);
  EXPECT_NEAR(static_cast<double>(probing.latest[2].size()), 349.5 / 2, 1);
  probing.complete();
  EXPECT_EQ(history.decision().nodes, 0b101u);
}

TEST_F(HetProbe, GivesASharesWithManyPiecesInSeveralAnswers) {
  // Twenty nodes, each has a batch from the front of its region when the last one reports that none of this
  // pays.
  const uint32_t nodes = 20;
  Visit probing = visit({20000, std::vector<uint32_t>(nodes, 1)});
  probing.everybody_comes();
  for (uint32_t i = 1; i < nodes; ++i)
    probing.report(i, 10, 1000);
  probing.report(0, 10, 1000);
  std::vector<uint32_t> sizes;
  for (int answer = 1;; ++answer) {
    sizes.push_back(probing.latest[0].piece_count);
    if (probing.latest[0].last)
      break;
    probing.get(0);
  }
  EXPECT_EQ(sizes, (std::vector<uint32_t>{8, 8, 4}));
  for (uint32_t i = 1; i < nodes; ++i)
    EXPECT_EQ(probing.get(i).size(), 0u);
  probing.expect_done();
  EXPECT_EQ(history.decision().only_node(), 0);
}

TEST_F(HetProbe, ASettledRegionIsDividedAtOnce) {
  settle(shape, 10, 20, 0);
  const std::pair<Schedule, Distribution> ways[] = {
      {{ScheduleKind::Static, 7}, Distribution::EqualShares},
      {{ScheduleKind::Dynamic, 7}, Distribution::Chunks},
      {{ScheduleKind::Guided, 7}, Distribution::Guided},
  };
  uint32_t left = 8;
  for (const auto& [in_node, distribution] : ways) {
    rules.in_node = in_node;
    RegionHistory copy = history;
    Visit run(shape, 10, copy, rules);
    run.everybody_comes();
    EXPECT_EQ(pieces(run.latest[0]), (std::vector<Range>{{800, 6800}}));
    EXPECT_EQ(pieces(run.latest[1]), (std::vector<Range>{{0, 800}, {6800, 12000}}));
    for (const Assignment& share : run.latest) {
      EXPECT_TRUE(share.last);
      EXPECT_FALSE(share.measured);
      EXPECT_EQ(share.repeats, left - 1);
      EXPECT_EQ(share.distribution, distribution);
      if (distribution != Distribution::EqualShares) {
        EXPECT_EQ(share.chunk, 7u);
      }
    }
    run.expect_done();
  }
}

/// Pages follow the iterations: few may change their node when a region settles, or is audited.
TEST_F(HetProbe, VisitsWithAndWithoutAProbePlaceIterationsAlike) {
  std::vector<std::vector<uint32_t>> places; // of each visit, the node of each iteration
  bool probed = false, settled = false;
  for (int number = 0; number < 6; ++number) {
    HetProbePolicy policy(shape, 10, history, rules);
    PolicyWorld world(shape, policy, 1);
    world.longest_delay_us = 0;
    world.cost = [](uint32_t node, Range chunk, double) {
      return ChunkCost{(node == 0 ? 10.0 : 30.0) * static_cast<double>(chunk.size())};
    };
    world.run();
    world.expect_complete();
    places.emplace_back(shape.trips);
    for (const PolicyWorld::Executed& executed : world.executed())
      std::fill(&places.back()[0] + executed.chunk.begin, &places.back()[0] + executed.chunk.end,
                executed.node);
    (world.replies()[0].assignment.measured ? probed : settled) = true;
    if (number < 2)
      continue; // the speeds were not known yet
    uint64_t moved = 0;
    for (uint64_t i = 0; i < shape.trips; ++i)
      moved += places[number][i] != places[number - 1][i];
    EXPECT_LT(moved, shape.trips / 50) << number;
  }
  EXPECT_TRUE(probed && settled);
}

TEST_F(HetProbe, AShareThatRepeatsFitsIntoOneAnswer) {
  const uint32_t nodes = 64;
  for (uint32_t i = 0; i < nodes; ++i)
    rules.speeds.push_back(i % 2); // every second probe is another's work
  for (int number = 0; number < 4; ++number) {
    Visit run({64000, std::vector<uint32_t>(nodes, 2)}, 10, history, rules);
    run.everybody_comes();
    for (uint32_t i = 0; i < nodes && number < 3; ++i)
      run.report(i, 10);
    run.complete();
    if (number < 3)
      continue;
    ASSERT_TRUE(history.settled());
    for (const Assignment& share : run.latest) {
      EXPECT_TRUE(share.last);
      EXPECT_EQ(share.repeats, 7u);
    }
    EXPECT_EQ(run.latest[0].size(), 0u);
    EXPECT_EQ(run.latest[1].size(), 2000u);
  }
}

TEST_F(HetProbe, TheShareOfADecisionIsDistributedAsTold) {
  rules.in_node = {ScheduleKind::Dynamic, 3};
  Visit probing = visit(shape);
  probing.everybody_comes();
  EXPECT_EQ(probing.latest[0].distribution, Distribution::EqualShares); // the probe
  probing.report(0, 10);
  probing.report(1, 10);
  EXPECT_EQ(probing.latest[1].distribution, Distribution::Chunks);
  EXPECT_EQ(probing.latest[1].chunk, 3u);
}

TEST_F(HetProbe, RunsOnOneNodeWhenThatIsSettled) {
  settle(even, 10, 10, 4000);
  Visit run = visit(even);
  EXPECT_EQ(run.get(1).size(), 0u);
  EXPECT_EQ(run.get(0).size(), even.trips);
  EXPECT_TRUE(run.latest[0].last && run.latest[1].last);
  EXPECT_EQ(run.latest[0].repeats, run.latest[1].repeats);
  run.expect_done();
}

TEST_F(HetProbe, DoesNotProbeLoopsWithHardlyAnIterationAThread) {
  Visit equal = visit({23, {4, 8}});
  equal.everybody_comes();
  EXPECT_EQ(pieces(equal.latest[0]), (std::vector<Range>{{0, 8}}));
  equal.expect_done();
  EXPECT_FALSE(history.decided());

  Visit probing = visit(shape);
  probing.everybody_comes();
  probing.report(0, 10);
  probing.report(1, 20);
  probing.complete();
  Visit short_loop = visit({20, {4, 8}});
  short_loop.everybody_comes();
  EXPECT_EQ(pieces(short_loop.latest[0]), (std::vector<Range>{{0, 10}})); // by the decision in force
  short_loop.expect_done();
}

TEST_F(HetProbe, RunsLoopsWithoutIterationsAndTeamsOnOneNode) {
  Visit none = visit({0, {4, 8}});
  none.everybody_comes();
  none.expect_done();
  Visit alone = visit({1000, {0, 4}});
  EXPECT_EQ(alone.get(1).size(), 1000u);
  EXPECT_TRUE(alone.latest[1].last);
  alone.expect_done();
}

TEST_F(HetProbe, MayProbeTheWholeLoop) {
  Visit probing = visit({1205, {4, 8}}, 100);
  probing.everybody_comes();
  EXPECT_EQ(probing.latest[0].size() + probing.latest[1].size(), 1200u);
  probing.report(0, 10);
  probing.report(1, 10);
  probing.ask(0);
  probing.expect_done();
  EXPECT_TRUE(history.decided());
}

TEST_F(HetProbe, GivenSpeedsCountFromTheFirstVisit) {
  rules.speeds = {4, 1};
  Visit probing = visit(shape);
  probing.everybody_comes();
  probing.report(0, 10);
  probing.report(1, 10);
  probing.ask(0);
  EXPECT_EQ(probing.latest[1].size(), 3600u); // 8 of 4 x 4 + 8
  probing.expect_done();
}

/// Random orders of questions and random measurements. Returns all answers, in order.
std::vector<Reply> run_at_random(const LoopShape& shape, double percent, RegionHistory& history,
                                 const DecisionRules& rules, uint64_t seed) {
  std::mt19937_64 random(seed);
  HetProbePolicy policy(shape, percent, history, rules);
  std::vector<Reply> all;
  std::vector<uint32_t> free; // nodes that may ask
  std::vector<NodeMeasurement> done(shape.nodes());
  for (uint32_t i = 0; i < shape.nodes(); ++i)
    if (shape.threads[i] > 0)
      free.push_back(i);
  while (!free.empty()) {
    std::swap(free[random() % free.size()], free.back());
    const uint32_t asking = free.back();
    free.pop_back();
    EXPECT_FALSE(policy.finished());
    std::vector<Reply> replies;
    policy.ask(asking, done[asking], replies);
    for (const Reply& reply : replies) {
      const uint32_t threads = shape.threads[reply.node];
      done[reply.node] =
          reply.assignment.measured
              ? took(reply.assignment, threads, static_cast<double>(random() % 1000), random() % 100)
              : NodeMeasurement{};
      if (!reply.assignment.last)
        free.push_back(reply.node);
      else if (reply.assignment.measured)
        policy.report(reply.node, done[reply.node]);
      all.push_back(reply);
    }
  }
  EXPECT_TRUE(policy.finished());
  return all;
}

TEST_F(HetProbe, TilesTheLoopInAnyOrderOfQuestions) {
  std::mt19937_64 random(17);
  uint64_t several_answers = 0;
  for (int repetition = 0; repetition < 3000; ++repetition) {
    SCOPED_TRACE(repetition);
    const LoopShape team = random_shape(random);
    rules.mode = repetition % 2 ? DecisionMode::Predict : DecisionMode::Threshold;
    rules.threshold_us = static_cast<double>(random() % 100000);
    rules.most_probes = 1 + repetition % 4;
    const double percent = repetition % 5 == 0 ? 100 : 0.5 + static_cast<double>(random() % 50);
    history = {};
    for (int number = 0; number < 4; ++number) {
      const std::vector<Reply> replies = run_at_random(team, percent, history, rules, random());
      std::vector<Range> given;
      std::vector<uint32_t> lasts(team.nodes(), 0);
      for (const Reply& reply : replies) {
        for (const Range& piece : pieces(reply.assignment))
          given.push_back(piece);
        lasts[reply.node] += reply.assignment.last;
        several_answers += reply.assignment.piece_count == Assignment::most_pieces && !reply.assignment.last;
      }
      expect_tiles(given, {0, team.trips});
      for (uint32_t i = 0; i < team.nodes(); ++i)
        EXPECT_EQ(lasts[i], team.threads[i] > 0 ? 1u : 0u);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(several_answers, 10u);
}

TEST_F(HetProbe, AnswersTheSameQuestionsAlike) {
  std::mt19937_64 random(19);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const LoopShape team = random_shape(random);
    RegionHistory one, other;
    for (int number = 0; number < 5; ++number) {
      const uint64_t seed = random();
      const std::vector<Reply> a = run_at_random(team, 10, one, rules, seed);
      const std::vector<Reply> b = run_at_random(team, 10, other, rules, seed);
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].node, b[i].node);
        ASSERT_EQ(a[i].assignment, b[i].assignment);
      }
    }
  }
}

TEST_F(HetProbe, ProbesTheSameIterationsOnEveryVisitWhateverHappens) {
  std::mt19937_64 random(29);
  for (int repetition = 0; repetition < 200; ++repetition) {
    LoopShape team = random_shape(random);
    team.trips += team.trips < 1000 ? 2 * team.total_threads() : 0;
    history = {};
    for (int number = 0; number < 12; ++number) {
      std::vector<bool> came(team.nodes(), false);
      for (const Reply& reply : run_at_random(team, 10, history, rules, random())) {
        const bool first_answer = !came[reply.node];
        came[reply.node] = true;
        if (!first_answer || !reply.assignment.measured)
          continue;
        uint32_t first = 0; // in the order of nodes, node 0 last
        for (uint32_t i = 1; i < (reply.node == 0 ? team.nodes() : reply.node); ++i)
          first += team.threads[i];
        const uint32_t total = team.total_threads();
        const Range expected{probe_share(team.trips, total, 10, first).begin,
                             probe_share(team.trips, total, 10, first + team.threads[reply.node] - 1).end};
        ASSERT_EQ(pieces(reply.assignment), std::vector<Range>{expected});
      }
    }
  }
}

/// Pages stay where the decision has put them, and what nodes execute after their probes is measured.
TEST_F(HetProbe, ADecisionForSeveralNodesDividesTheNextVisitAtOnce) {
  Visit first = visit(even);
  first.everybody_comes();
  first.report(0, 10);
  first.report(1, 30);
  first.complete();
  Visit second = visit(even);
  second.everybody_comes();
  EXPECT_EQ(pieces(second.latest[1]), (std::vector<Range>{{0, 600}}));
  second.report(0, 10);
  EXPECT_EQ(pieces(second.latest[0]), (std::vector<Range>{{1200, 9600}})); // without node 1
  EXPECT_TRUE(second.latest[0].last && second.latest[0].measured);
  second.report(1, 10); // late, and faster than before: that is for the next visit
  EXPECT_EQ(pieces(second.latest[1]), (std::vector<Range>{{9600, 12000}}));
  second.expect_done();
  EXPECT_LT(history.decision().speed[0], 2);
}

/// What it did on visits for which nobody asked is nothing of this one.
TEST_F(HetProbe, ANodeMayBringTimesOfEarlierVisits) {
  Visit probing = visit(even);
  const NodeMeasurement earlier{.threads = 4, .iterations = 100000, .thread_us = 1e9};
  probing.get(0, earlier);
  probing.get(1, earlier);
  probing.report(0, 10);
  probing.report(1, 10);
  probing.complete();
  EXPECT_EQ(history.decision().speed, (std::vector<double>{1, 1}));
  EXPECT_EQ(history.nodes()[0].us_per_iteration, 10);
}

TEST_F(HetProbe, WholeSharesTellSpeedsBetterThanProbes) {
  // The probe of node 1 is disturbed, what comes after it is not.
  HetProbePolicy policy(even, 10, history, rules);
  std::vector<Reply> replies;
  const auto ask = [&](uint32_t node, const NodeMeasurement& done) {
    replies.clear();
    policy.ask(node, done, replies);
    return replies.back().assignment;
  };
  Assignment latest[2] = {ask(0, {}), ask(1, {})};
  latest[0] = ask(0, took(latest[0], 4, 10));
  latest[1] = ask(1, took(latest[1], 4, 60));
  uint64_t after_probe[2] = {latest[0].size(), latest[1].size()};
  for (const uint32_t node : {0u, 1u}) {
    for (; !latest[node].last; after_probe[node] += latest[node].size())
      latest[node] = ask(node, took(latest[node], 4, node == 0 ? 10 : 20));
    EXPECT_FALSE(policy.finished());
    policy.report(node, took(latest[node], 4, node == 0 ? 10 : 20));
  }
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(after_probe[0] + after_probe[1] + 1200, even.trips);
  const double share = static_cast<double>(after_probe[1]);
  EXPECT_NEAR(history.decision().speed[0], (600 * 60 + share * 20) / (600 + share) / 10, 1e-6);
}

/// Even the first visit takes hardly longer than if the speeds had been known: nodes that are back early go
/// on working, and what they have done by then is counted when the rest is divided.
TEST_F(HetProbe, AllNodesFinishTogetherOnTheFirstVisit) {
  std::mt19937_64 random(31);
  for (const uint32_t nodes : {2u, 3u, 8u, 64u})
    for (int repetition = 0; repetition < 5; ++repetition) {
      const LoopShape team{uint64_t{nodes} * 20000, std::vector<uint32_t>(nodes, 4)};
      std::vector<double> us;
      double rate = 0;
      for (uint32_t i = 0; i < nodes; ++i) {
        us.push_back(10 + static_cast<double>(random() % 90));
        rate += 4 / us.back();
      }
      RegionHistory fresh;
      HetProbePolicy policy(team, 10, fresh, rules);
      PolicyWorld world(team, policy, random());
      world.cost = [&](uint32_t node, Range chunk, double) {
        return ChunkCost{us[node] * static_cast<double>(chunk.size())};
      };
      world.run();
      world.expect_complete();
      EXPECT_LT(world.makespan_us(), 1.05 * static_cast<double>(team.trips) / rate) << nodes << " nodes";
    }
}

} // namespace
} // namespace hetmp::schedulers
