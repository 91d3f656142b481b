// Which nodes a region's teams need, as forks see it.
#include "runtime/process/withdrawal.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

constexpr NodeSet every_node = NodeSet::all();
constexpr NodeSet origin = NodeSet::of(0);

const char regions[4000] = {};

TEST(Withdrawal, UnknownRegionsNeedAllNodes) { EXPECT_EQ(nodes_for_region(&regions[0]), every_node); }

TEST(Withdrawal, APublishedNeedHoldsUntilTheNextAudit) {
  const void* region = &regions[1];
  publish_needed_nodes(region, origin, PlacedLoops::OnNodes);
  int teams = 0;
  while (nodes_for_region(region) == origin)
    ASSERT_LT(++teams, 1000) << "never looked at again";
  const int first = teams;
  EXPECT_GT(first, 10);
  for (teams = 0; nodes_for_region(region) == origin; ++teams) {
  }
  EXPECT_EQ(teams + 1, 2 * (first + 1)) << "confirmed: the interval doubles";
  publish_needed_nodes(region, origin, PlacedLoops::OnNodes); // what an audit that changes nothing says
  for (teams = 0; nodes_for_region(region) == origin; ++teams) {
  }
  EXPECT_EQ(teams + 1, 4 * (first + 1));
}

TEST(Withdrawal, AContradictionBringsAllNodesBack) {
  const void* region = &regions[2];
  publish_needed_nodes(region, origin, PlacedLoops::OnNodes);
  EXPECT_EQ(nodes_for_region(region), origin);
  publish_needed_nodes(region, every_node, PlacedLoops::OnNodes);
  for (int team = 0; team < 200; ++team)
    EXPECT_EQ(nodes_for_region(region), every_node);
}

TEST(Withdrawal, PlacedLoopsAreKnownOnceATeamHasEnded) {
  const void* region = &regions[4];
  EXPECT_EQ(placed_loops_of(region), PlacedLoops::Unknown);
  publish_needed_nodes(region, every_node, PlacedLoops::None);
  EXPECT_EQ(placed_loops_of(region), PlacedLoops::None);
  publish_needed_nodes(region, every_node, PlacedLoops::OnNodes);
  EXPECT_EQ(placed_loops_of(region), PlacedLoops::OnNodes);
  EXPECT_EQ(nodes_for_region(region), every_node);
}

TEST(Withdrawal, ALoopThatIsMetAtHomeAsksForATeamOnAllNodes) {
  expect_loops({});
  EXPECT_FALSE(expected_loops().runtime);
  const void* without = &regions[5];
  const void* decided = &regions[6];
  publish_needed_nodes(without, every_node, PlacedLoops::None);
  publish_needed_nodes(decided, every_node, PlacedLoops::OnOrigin);
  for (const void* region : {without, decided})
    note_runtime_loop_at_home(region);
  EXPECT_TRUE(expected_loops().runtime);
  EXPECT_FALSE(expected_loops().compiled);
  EXPECT_EQ(placed_loops_of(without), PlacedLoops::Unknown);
  EXPECT_EQ(placed_loops_of(decided), PlacedLoops::OnOrigin) << "what was decided stays so";
}

TEST(Withdrawal, ManyRegionsKeepTheirOwnNeeds) {
  for (int i = 100; i < 400; ++i)
    publish_needed_nodes(&regions[i], NodeSet::of_bits(uint64_t(i)), PlacedLoops::OnNodes);
  for (int i = 100; i < 400; ++i) {
    const NodeSet nodes = nodes_for_region(&regions[i]);
    EXPECT_TRUE(nodes == NodeSet::of_bits(uint64_t(i)) || nodes == every_node)
        << "a region without a place runs on all nodes";
  }
  for (int i = 1000; i < 4000; ++i) // more than there is room for
    publish_needed_nodes(&regions[i], origin, PlacedLoops::OnNodes);
  for (int i = 1000; i < 4000; ++i) {
    const NodeSet nodes = nodes_for_region(&regions[i]);
    EXPECT_TRUE(nodes == origin || nodes == every_node);
  }
}

TEST(WithdrawalOfPrograms, ThreadVariablesKeepThreadsWhereTheyAre) {
  const void* region = &regions[3];
  publish_needed_nodes(region, origin, PlacedLoops::OnNodes);
  keep_threads_where_they_are();
  EXPECT_EQ(nodes_for_region(region), every_node);
}

} // namespace
} // namespace hetmp::runtime
