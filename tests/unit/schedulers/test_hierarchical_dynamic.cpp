#include "policy_world.hpp"
#include "random_loops.hpp"
#include "schedulers/policies/hierarchical_dynamic.hpp"

namespace hetmp::schedulers {
namespace {

TEST(HierarchicalDynamicPolicy, HandsBatchesOutInAscendingOrder) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 200; ++repetition) {
    LoopShape shape = random_shape(random);
    shape.trips %= 3000;
    const Schedule schedule{random() % 2 ? ScheduleKind::Dynamic : ScheduleKind::Guided, random() % 5};
    HierarchicalDynamic policy(schedule, shape, {});
    PolicyWorld world(shape, policy, random());
    world.run();
    world.expect_complete();
    uint64_t next = 0;
    for (const Reply& reply : world.replies()) {
      ASSERT_EQ(reply.assignment.last, reply.assignment.piece_count == 0);
      if (!reply.assignment.last) {
        ASSERT_EQ(reply.assignment.pieces[0].begin, next);
        next = reply.assignment.pieces[0].end;
      }
    }
    ASSERT_EQ(next, shape.trips);
  }
}

TEST(HierarchicalDynamicPolicy, GivesAChunkToEachThreadOfTheNode) {
  HierarchicalDynamic policy({ScheduleKind::Dynamic, 5}, {100, {8, 0, 4}}, {});
  std::vector<Reply> replies;
  for (uint32_t node : {0u, 2u, 0u, 2u, 0u})
    policy.ask(node, {}, replies);
  const Range expected[] = {{0, 40}, {40, 60}, {60, 100}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(replies[i].assignment.pieces[0], expected[i]);
    EXPECT_EQ(replies[i].assignment.chunk, 5u);
    EXPECT_EQ(replies[i].assignment.distribution, Assignment::Distribution::Chunks);
  }
  EXPECT_TRUE(replies[3].assignment.last);
  EXPECT_TRUE(replies[4].assignment.last);
  EXPECT_TRUE(policy.finished());
}

TEST(HierarchicalDynamicPolicy, ShrinksGuidedBatchesButNotBelowTheChunk) {
  HierarchicalDynamic policy({ScheduleKind::Guided, 10}, {1000, {2, 3}}, {});
  std::vector<Reply> replies;
  policy.ask(0, {}, replies);
  EXPECT_EQ(replies.back().assignment.pieces[0], (Range{0, 200})); // 1000 / 10 for each of two threads
  policy.ask(1, {}, replies);
  EXPECT_EQ(replies.back().assignment.pieces[0], (Range{200, 440})); // 800 / 10 for each of three
  uint64_t left = 560;
  uint64_t before = 240;
  while (left > 0) {
    policy.ask(1, {}, replies);
    const uint64_t size = replies.back().assignment.size();
    ASSERT_LE(size, before);
    ASSERT_GE(size, std::min<uint64_t>(left, 30));
    before = size;
    left -= size;
  }
}

/// Runs a loop of cheap iterations on nodes of different speed, without a chunk given.
PolicyWorld& run_cheap(PolicyWorld& world, const std::vector<double>& us_per_iteration) {
  world.cost = [=](uint32_t node, Range chunk, double) {
    return ChunkCost{static_cast<double>(chunk.size()) * us_per_iteration[node], -1, 0, 0, 0};
  };
  world.run();
  return world;
}

TEST(HierarchicalDynamicPolicy, AdaptsItsBatchesToWhatAnExchangeCosts) {
  const LoopShape shape{1000000, {4, 4}};
  HierarchicalDynamic policy({ScheduleKind::Dynamic}, shape, {});
  PolicyWorld world(shape, policy, 1);
  world.longest_delay_us = 100;
  run_cheap(world, {1, 3}).expect_complete();
  // 1000 us are the aim for a batch; all of it takes 4 threads at 1/us and 4 at 1/3 per us 187500 us.
  EXPECT_LT(world.replies().size(), 2000u);
  EXPECT_GT(world.replies().size(), 100u);
  EXPECT_LT(world.makespan_us(), 187500 * 1.2);
  const double ratio = static_cast<double>(world.iterations_of(0)) / static_cast<double>(world.iterations_of(1));
  EXPECT_GT(ratio, 2.7);
  EXPECT_LT(ratio, 3.3);
}

TEST(HierarchicalDynamicPolicy, KeepsHalfOfTheFairShareForLater) {
  const LoopShape shape{100000, {4, 4}};
  HierarchicalDynamic policy({ScheduleKind::Dynamic}, shape, {});
  uint64_t left = shape.trips;
  std::vector<Reply> replies;
  for (int i = 0; left > 0; ++i) {
    NodeMeasurement done;
    done.span_us = 999; // always a little too short: batches would grow without end
    policy.ask(i % 2, done, replies);
    const uint64_t size = replies.back().assignment.size();
    if (left > shape.trips / 4) { // later, halves are done in less than one exchange
      ASSERT_LE(size, left / 2 + 1);
    }
    left -= size;
  }
  EXPECT_GT(replies.size(), 10u);
}

TEST(HierarchicalDynamicPolicy, ShrinksABatchThatLastsMuchTooLong) {
  const LoopShape shape{1000000000, {1, 1}};
  HierarchicalDynamic policy({ScheduleKind::Dynamic}, shape, {});
  std::vector<Reply> replies;
  NodeMeasurement done;
  done.span_us = 60;
  for (int i = 0; i < 4; ++i)
    policy.ask(0, done, replies);
  const uint64_t grown = replies.back().assignment.size();
  EXPECT_EQ(grown, 16u * 16 * 16);
  done.span_us = 100000; // 100 times what a batch is to last
  policy.ask(0, done, replies);
  EXPECT_EQ(replies.back().assignment.size(), grown / 100);
}

} // namespace
} // namespace hetmp::schedulers
