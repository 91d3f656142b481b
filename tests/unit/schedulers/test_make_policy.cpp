// Each schedule's policy is known by its first answer to the first node of two.
#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/policy.hpp"
#include "tiling.hpp"

namespace hetmp::schedulers {
namespace {

using Distribution = Assignment::Distribution;

class MakePolicy : public testing::Test {
 protected:
  Assignment first_answer(const Schedule& schedule) {
    policy = make_policy(schedule, shape, history, rules);
    std::vector<Reply> replies;
    policy->ask(0, {}, replies);
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? Assignment{} : replies[0].assignment;
  }

  const LoopShape shape{1200, {2, 2}};
  LoopHistory history;
  DecisionRules rules;
  std::unique_ptr<LoopPolicy> policy;
};

TEST_F(MakePolicy, StaticGivesTheWholeShare) {
  rules.speeds = {2, 1};
  const Assignment share = first_answer({ScheduleKind::Static});
  EXPECT_EQ(share.size(), 800u);
  EXPECT_TRUE(share.last);
  EXPECT_EQ(share.distribution, Distribution::EqualShares);
}

TEST_F(MakePolicy, DynamicGivesABatchOfChunks) {
  const Assignment batch = first_answer({ScheduleKind::Dynamic, 5});
  EXPECT_EQ(batch.size(), 10u);
  EXPECT_EQ(batch.distribution, Distribution::Chunks);
}

TEST_F(MakePolicy, AutoIsGuided) {
  const Assignment guided = first_answer({ScheduleKind::Guided});
  EXPECT_GT(guided.size(), 0u);
  EXPECT_LT(guided.size(), shape.trips);
  EXPECT_FALSE(guided.last);
  EXPECT_EQ(first_answer({ScheduleKind::Auto}), guided);
}

TEST_F(MakePolicy, HetProbesMeasureTheirPercentage) {
  for (const ScheduleKind kind : {ScheduleKind::HetProbe, ScheduleKind::HetProbeI}) {
    history = {};
    const Assignment probe = first_answer({kind, 0, 20});
    EXPECT_TRUE(probe.measured);
    EXPECT_FALSE(probe.last);
    EXPECT_LE(probe.size(), 120u);
    EXPECT_EQ(probe.size() == 120, kind == ScheduleKind::HetProbe); // HetProbe-I gives its probe in parts
    EXPECT_EQ(history.visits(), 1u);
    EXPECT_FALSE(policy->finished());
  }
}

TEST(Assignment, TakesPiecesUntilItIsFull) {
  Assignment assignment;
  EXPECT_TRUE(assignment.add({5, 5}));
  EXPECT_EQ(assignment.piece_count, 0u);
  for (uint64_t i = 0; i < Assignment::most_pieces; ++i)
    EXPECT_TRUE(assignment.add({10 * i, 10 * i + 3}));
  EXPECT_TRUE(assignment.add({1000, 1000}));
  EXPECT_FALSE(assignment.add({1000, 1001}));
  EXPECT_EQ(assignment.piece_count, 8u);
  EXPECT_EQ(assignment.size(), 24u);
}

TEST(LoopShape, CountsThreads) {
  EXPECT_EQ((LoopShape{7, {4, 0, 8}}).total_threads(), 12u);
  EXPECT_EQ((LoopShape{7, {4, 0, 8}}).nodes(), 3u);
  EXPECT_EQ(LoopShape{}.total_threads(), 0u);
}

} // namespace
} // namespace hetmp::schedulers
