#include "random_loops.hpp"
#include "schedulers/arithmetic/static_shares.hpp"
#include "schedulers/policies/hierarchical_static.hpp"
#include "tiling.hpp"

namespace hetmp::schedulers {
namespace {

std::vector<Range> all_shares(const LoopShape& shape, const CoreSpeeds& speeds) {
  std::vector<Range> shares;
  for (uint32_t node = 0; node < shape.nodes(); ++node)
    for (uint32_t thread = 0; thread < shape.threads[node]; ++thread)
      shares.push_back(thread_share(shape, speeds, node, thread));
  return shares;
}

TEST(CoreSpeeds, AreOneWhereNothingIsGiven) {
  const CoreSpeeds speeds{{2.5, 0}};
  EXPECT_EQ(speeds[0], 2.5);
  EXPECT_EQ(speeds[1], 0);
  EXPECT_EQ(speeds[2], 1);
  EXPECT_FALSE(speeds.all_equal());
  EXPECT_TRUE(CoreSpeeds{}.all_equal());
  EXPECT_TRUE((CoreSpeeds{{1, 1}}).all_equal());
  EXPECT_FALSE((CoreSpeeds{{2, 2}}).all_equal()) << "a third node counts 1";
}

TEST(StaticShares, DivideAsOneNodeDoesWhenSpeedsAreEqual) {
  std::mt19937_64 random(3);
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const LoopShape shape = random_shape(random);
    const CoreSpeeds equal{std::vector<double>(random() % 2 == 0 ? 0 : shape.nodes(), 0.3)};
    const std::vector<Range> shares = all_shares(shape, equal);
    for (uint32_t number = 0; number < shares.size(); ++number) {
      const Range expected = static_share(shape.trips, shape.total_threads(), number);
      ASSERT_EQ(shares[number].size(), expected.size());
      if (!expected.empty()) {
        ASSERT_EQ(shares[number], expected);
      }
    }
  }
}

TEST(StaticShares, FollowTheSpeeds) {
  const LoopShape shape{1000, {4, 0, 2, 2}};
  const CoreSpeeds speeds{{3, 9, 2, 0}}; // 12 to 4, and two that get nothing
  EXPECT_EQ(node_share(shape, speeds, 0), (Range{0, 750}));
  EXPECT_EQ(node_share(shape, speeds, 1).size(), 0u);
  EXPECT_EQ(node_share(shape, speeds, 2), (Range{750, 1000}));
  EXPECT_EQ(node_share(shape, speeds, 3).size(), 0u);
  EXPECT_EQ(node_share(shape, speeds, 4).size(), 0u);
  EXPECT_EQ(thread_share(shape, speeds, 2, 1), (Range{875, 1000}));
  EXPECT_TRUE(thread_share(shape, speeds, 3, 1).empty());
}

TEST(StaticShares, TileAnyLoopWithAnySpeeds) {
  std::mt19937_64 random(4);
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const LoopShape shape = random_shape(random);
    CoreSpeeds speeds;
    for (uint64_t given = random() % (shape.nodes() + 2); given > 0; --given)
      speeds.of_node.push_back(random() % 3 == 0 ? 0 : std::uniform_real_distribution<double>(0, 9)(random));
    expect_tiles(all_shares(shape, speeds), {0, shape.trips});
    ASSERT_FALSE(HasFailure()) << "repetition " << repetition;
  }
}

TEST(HierarchicalStaticPolicy, GivesTheWholeShareAtOnce) {
  HierarchicalStatic policy({100, {1, 0, 3}}, {{1, 1, 3}}, {ScheduleKind::Dynamic, 7});
  std::vector<Reply> replies;
  policy.ask(2, {}, replies);
  EXPECT_FALSE(policy.finished());
  policy.ask(0, {}, replies);
  EXPECT_TRUE(policy.finished());
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].node, 2u);
  EXPECT_EQ(replies[0].assignment.pieces[0], (Range{10, 100}));
  EXPECT_EQ(replies[1].assignment.pieces[0], (Range{0, 10}));
  for (const Reply& reply : replies) {
    EXPECT_TRUE(reply.assignment.last);
    EXPECT_FALSE(reply.assignment.measured);
    EXPECT_EQ(reply.assignment.distribution, Assignment::Distribution::Chunks);
    EXPECT_EQ(reply.assignment.chunk, 7u);
    EXPECT_EQ(reply.assignment.repeats, std::numeric_limits<uint32_t>::max());
  }
}

} // namespace
} // namespace hetmp::schedulers
