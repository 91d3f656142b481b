#include "hetprobe_visits.hpp"

namespace hetmp::schedulers {
namespace {

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
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b10101));
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
  // Node 1 tells of its 1200 at last: of the 10800 it is to do a quarter, and gets half of what is missing of that,
  // alike for its threads.
  EXPECT_EQ(probing.get(1, took(probing.latest[1], 4, 30)).size(), 748u);
  probing.complete();
}

/// Whatever the probes say: nodes that they misjudge have little in hand when the others are done. What disturbs a
/// probe takes its time, of course.
TEST_F(HetProbe, AMisleadingProbeCostsLittle) {
  for (const double lie : {0.3, 0.5, 0.8, 1.3, 2.0, 4.0}) {
    const LoopShape team{48000, {4, 4}};
    LoopHistory fresh;
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
  EXPECT_EQ(pieces(probing.get(0)), (std::vector<Range>{{210, 220}}));    // then node 1's: among equals the first
  EXPECT_EQ(pieces(probing.get(1)), (std::vector<Range>{{150, 160}}));    // the owner goes on from the front
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
  std::vector<NodeSet> used;
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
  EXPECT_EQ(used.front(), NodeSet::of_bits(0b01));
  EXPECT_EQ(used.back(), NodeSet::of_bits(0b11));
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
  EXPECT_EQ(history.decision().nodes, NodeSet::of_bits(0b101));
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

} // namespace
} // namespace hetmp::schedulers
