// Which nodes a region's teams need, as forks see it.
#include "runtime/process/withdrawal.hpp"

#include "schedulers/arithmetic/deal.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

using schedulers::every_node;

const char regions[4000] = {};

TEST(Withdrawal, UnknownRegionsNeedAllNodes) { EXPECT_EQ(nodes_for_region(&regions[0]), every_node); }

TEST(Withdrawal, APublishedNeedHoldsUntilTheNextAudit) {
  const void* region = &regions[1];
  publish_needed_nodes(region, 1);
  int teams = 0;
  while (nodes_for_region(region) == 1)
    ASSERT_LT(++teams, 1000) << "never looked at again";
  const int first = teams;
  EXPECT_GT(first, 10);
  for (teams = 0; nodes_for_region(region) == 1; ++teams) {
  }
  EXPECT_EQ(teams + 1, 2 * (first + 1)) << "confirmed: the interval doubles";
  publish_needed_nodes(region, 1); // what an audit that changes nothing says
  for (teams = 0; nodes_for_region(region) == 1; ++teams) {
  }
  EXPECT_EQ(teams + 1, 4 * (first + 1));
}

TEST(Withdrawal, AContradictionBringsAllNodesBack) {
  const void* region = &regions[2];
  publish_needed_nodes(region, 1);
  EXPECT_EQ(nodes_for_region(region), 1u);
  publish_needed_nodes(region, every_node);
  for (int team = 0; team < 200; ++team)
    EXPECT_EQ(nodes_for_region(region), every_node);
}

TEST(Withdrawal, ManyRegionsKeepTheirOwnNeeds) {
  for (int i = 100; i < 400; ++i)
    publish_needed_nodes(&regions[i], uint64_t(i));
  for (int i = 100; i < 400; ++i) {
    const uint64_t nodes = nodes_for_region(&regions[i]);
    EXPECT_TRUE(nodes == uint64_t(i) || nodes == every_node) << "a region without a place runs on all nodes";
  }
  for (int i = 1000; i < 4000; ++i) // more than there is room for
    publish_needed_nodes(&regions[i], 1);
  for (int i = 1000; i < 4000; ++i) {
    const uint64_t nodes = nodes_for_region(&regions[i]);
    EXPECT_TRUE(nodes == 1 || nodes == every_node);
  }
}

TEST(WithdrawalOfPrograms, ThreadVariablesKeepThreadsWhereTheyAre) {
  const void* region = &regions[3];
  publish_needed_nodes(region, 1);
  keep_threads_where_they_are();
  EXPECT_EQ(nodes_for_region(region), every_node);
}

} // namespace
} // namespace hetmp::runtime
