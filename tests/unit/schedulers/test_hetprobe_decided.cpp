#include "hetprobe_visits.hpp"

namespace hetmp::schedulers {
namespace {

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
    LoopHistory copy = history;
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
      std::fill(&places.back()[0] + executed.chunk.begin, &places.back()[0] + executed.chunk.end, executed.node);
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
      LoopHistory fresh;
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
