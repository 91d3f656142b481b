// On which nodes a region runs.
#include "runtime/regions/region_plan.hpp"

#include "runtime/global/team_description.hpp"
#include "schedulers/arithmetic/deal.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

using ByNode = std::vector<uint32_t>;

/// Of a region that main meets, on nodes with two, four and two CPUs.
RegionFacts usual(uint32_t threads = 8) {
  RegionFacts facts;
  facts.threads = threads;
  facts.arguments = 3;
  facts.cpus = {2, 4, 2};
  return facts;
}

TEST(RegionPlan, NothingKeepsAUsualRegion) { EXPECT_EQ(why_it_stays(usual()), StaysHere::No); }

TEST(RegionPlan, EachReasonKeepsIt) {
  const auto reason_of = [](auto&& change) {
    RegionFacts facts = usual();
    change(facts);
    return why_it_stays(facts);
  };
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.cpus = {8}; }), StaysHere::OneNode);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.threads = 1; }), StaysHere::OneThread);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.executed_by_caller = true; }), StaysHere::ExecutedByCaller);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.in_active_region = true; }), StaysHere::InActiveRegion);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.met_on = 1; }), StaysHere::MetElsewhere);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.nodes_can_meet = false; }), StaysHere::NoGlobalLevel);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.frame_is_reachable = false; }), StaysHere::UnreachableFrame);
  EXPECT_EQ(reason_of([](RegionFacts& facts) { facts.holds_locks = true; }), StaysHere::LocksAreHeld);
}

TEST(RegionPlan, AsManyArgumentsAsTravel) {
  RegionFacts facts = usual();
  facts.arguments = most_forwarded_arguments;
  EXPECT_EQ(why_it_stays(facts), StaysHere::No);
  facts.arguments++;
  EXPECT_EQ(why_it_stays(facts), StaysHere::TooManyArguments);
}

TEST(RegionPlan, ThreadsAreDealtByCpus) {
  const RegionPlan plan = deal_region(usual(), NodeSet::all());
  EXPECT_TRUE(plan.spreads());
  EXPECT_EQ(plan.by_node, (ByNode{2, 4, 2}));
  EXPECT_EQ(plan.threads, 8u);
  EXPECT_EQ(plan.local_threads(), 2u);
  EXPECT_EQ(plan.idle, 0u);
  EXPECT_EQ(plan.stays, StaysHere::No);
}

TEST(RegionPlan, NodesThatAreNotNeededHaveNoThreads) {
  EXPECT_EQ(deal_region(usual(), NodeSet::of(0).with(2)).by_node, (ByNode{4, 0, 4}));
}

TEST(RegionPlan, WhereNodeZeroSufficesThreadsBeyondItsCpusAreIdle) {
  const RegionPlan plan = deal_region(usual(), NodeSet::of(0));
  EXPECT_FALSE(plan.spreads());
  EXPECT_EQ(plan.threads, 8u);
  EXPECT_EQ(plan.local_threads(), 8u);
  EXPECT_EQ(plan.idle, 6u);
  EXPECT_EQ(plan.stays, StaysHere::NeedsNoOther);
}

TEST(RegionPlan, NoThreadIsIdleWhereThereAreCpusEnough) {
  RegionFacts facts = usual(3);
  facts.cpus = {4, 4};
  EXPECT_EQ(deal_region(facts, NodeSet::of(0)).idle, 0u);
}

TEST(RegionPlan, ADynamicTeamIsSmallerInstead) {
  RegionFacts facts = usual();
  facts.dynamic = true;
  const RegionPlan plan = deal_region(facts, NodeSet::of(0));
  EXPECT_FALSE(plan.spreads());
  EXPECT_EQ(plan.threads, 2u);
  EXPECT_EQ(plan.idle, 0u);
}

TEST(RegionPlan, WithoutItsWorkersATeamOnSeveralNodesStays) {
  const RegionPlan plan = with_fewer_workers(deal_region(usual(), NodeSet::all()), 1);
  EXPECT_FALSE(plan.spreads());
  EXPECT_EQ(plan.threads, 8u); // as many as it would have had: the node may have them all the same
  EXPECT_EQ(plan.stays, StaysHere::NoWorkers);
}

TEST(RegionPlan, WithoutItsWorkersATeamOnOneNodeIsSmaller) {
  const RegionPlan plan = with_fewer_workers(stay_here(8, StaysHere::OneNode), 3);
  EXPECT_EQ(plan.threads, 3u);
  EXPECT_EQ(plan.local_threads(), 3u);
  EXPECT_EQ(plan.stays, StaysHere::OneNode);
}

TEST(RegionPlan, SomebodyWorksHoweverSmallTheTeam) {
  const RegionPlan idle = deal_region(usual(), NodeSet::of(0));
  for (uint32_t threads = 1; threads < idle.threads; threads++) {
    const RegionPlan plan = with_fewer_workers(idle, threads);
    EXPECT_EQ(plan.threads, threads);
    EXPECT_LT(plan.idle, plan.threads);
  }
}

} // namespace
} // namespace hetmp::runtime
