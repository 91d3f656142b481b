// What all journeys may lose: what is lost counts, what pages may cost yet, and what other experiments have taken.
#include "tests/unit/placement/travel_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hetmp::schedulers {
namespace {

/// Pages that may be wanted back count before they are.
TEST(TravelLedger, ReservesWhatPagesMayCostYet) {
  World world;
  const TravelRules rules;
  Kind kind{50'000, 51'000, {.stays = 1, .abroad_us = 3000, .computed_us = 1000, .pages = 5000}};
  ASSERT_TRUE(world.travels_at_last(1, kind));
  const double left_us = world.ledger.begin(2, world.now_us, 0).allowance.first_us / rules.allowance;
  EXPECT_LT(left_us, rules.budget.at(world.now_us) - 5000 * rules.page_us + 1000);
}

/// Programs of regions that lose and gain as they like: what is lost at any time is the budget and, at most, what the
/// visits in hand lose before they are found to.
TEST(TravelLedger, KeepsWithinItsBudget) {
  const TravelRules rules;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    World world;
    double lost_us = 0, most_at_once_us = 0;
    for (int visit = 0; visit < 3000; ++visit) {
      const uint64_t region = random() % 8;
      const auto permit = world.ledger.begin(region, world.now_us, world.waited_us);
      const double taken_us = 50 + double(random() % 20'000);
      TravelLedger::Visit seen;
      const double waited_us = random() % 4 == 0 ? double(random() % 3000) : 0;
      world.now_us += taken_us;
      if (permit.travels && taken_us > permit.delay_us) {
        seen.stays = 1 + uint32_t(random() % 3);
        seen.computed_us = region % 3 == 0 ? double(random() % 2000) : 0; // the others compute nothing
        seen.abroad_us = seen.computed_us +
                         seen.stays * std::min(permit.allowance.first_us, taken_us) * double(random() % 100) / 100;
        world.waited_us += waited_us;
      }
      world.ledger.end(region, world.now_us, world.waited_us, seen);
      const double lost_here_us =
          seen.stays == 0 ? 0 : seen.stays * rules.way_us + seen.abroad_us - 2 * seen.computed_us + waited_us;
      lost_us = std::max(0.0, lost_us + lost_here_us);
      most_at_once_us = std::max(most_at_once_us, lost_here_us);
      // One region that has paid may lose for some visits before it rests.
      ASSERT_LE(lost_us, rules.budget.at(world.now_us) + 8 * rules.visits_to_try * most_at_once_us)
          << "seed " << seed << ", visit " << visit;
    }
  }
}

/// A program that is one long region: what it may lose in all is what a region may that makes up most of the run.
TEST(TravelLedger, ARegionThatLastsMayLoseMore) {
  TravelLedger ledger;
  const TravelRules rules;
  constexpr double begun_us = grown_us;
  const auto permit = ledger.begin(1, begun_us, 0);
  ASSERT_TRUE(permit.travels);
  EXPECT_LT(permit.allowance.at(10'000), 0.1 * rules.budget.base_us);
  EXPECT_LT(ledger.begin(2, 30'000, 0).allowance.at(rules.least_heavy_us - 1), 0.1 * rules.budget.base_us);
  const double then_us = begun_us / 4; // a fifth of the run
  const double allowed_us = permit.allowance.at(then_us + 1);
  EXPECT_NEAR(allowed_us, rules.heavy_allowance * (rules.budget.at(begun_us + then_us)), 1);
  EXPECT_NEAR(permit.allowance.at(then_us + 1e6) - allowed_us, rules.heavy_allowance * rules.budget.share * 1e6, 1);
}

TEST(TravelLedger, WhatHasLostAllItMightIsTriedAgainWhenItMayLoseMore) {
  TravelLedger ledger;
  double now_us = 0, lost_us = 0;
  for (int visit = 0; visit < 2000; ++visit) {
    const auto permit = ledger.begin(1, now_us, 0);
    const bool is_new = permit.travels && !permit.at_once;
    now_us += 20'000;
    if (is_new && visit > 5) {
      EXPECT_GE(permit.allowance.first_us, TravelRules{}.more * lost_us) << visit;
      lost_us = permit.allowance.first_us;
    }
    TravelLedger::Visit stay;
    if (permit.travels) // it waits for pages as long as it may
      stay = {.stays = 1, .abroad_us = permit.allowance.first_us, .computed_us = 0, .pages = 0};
    now_us += stay.abroad_us;
    ledger.end(1, now_us, 0, stay);
  }
  EXPECT_GT(lost_us, 10'000) << "it was tried more than once";
}

TEST(TravelLedger, WhatWouldComeHomeHalfwayIsNotBegun) {
  constexpr Kind costly{100'000, 190'000, {.stays = 1, .abroad_us = 100'000, .computed_us = 10'000, .pages = 2000}};
  for (const double left_us : {1'000.0, 40'000.0}) {
    World world;
    world.now_us = 1e6;
    ASSERT_TRUE(world.visit(1, costly));
    for (uint32_t visit = 0; visit < TravelRules{}.visits_at_home; ++visit)
      ASSERT_FALSE(world.visit(1, costly));
    ASSERT_EQ(world.region(1).tried, 1u);
    const TravelRules rules;
    const double budget_us = rules.budget.at(world.now_us);
    world.ledger.share_budget(budget_us - world.ledger.committed_us() - left_us);
    const bool travels = world.ledger.begin(1, world.now_us, world.waited_us).travels;
    EXPECT_EQ(travels, left_us > 10'000) << left_us;
    EXPECT_NE(world.ledger.take_given_up(), travels) << "what it has fetched comes home together";
  }
}

TEST(TravelLedger, WhatIsTriedRestsWhenTheBudgetIsSpent) {
  World world;
  ASSERT_TRUE(world.travels_at_last(1, losing));
  ASSERT_NE(world.region(1).tried, 0u);
  for (uint64_t other = 2; world.ledger.lost_us() < 2 * TravelRules{}.budget.base_us; ++other)
    world.visit(other, {10, 10, {.stays = 1, .abroad_us = 10'000}});
  EXPECT_FALSE(world.visit(1, losing));
  EXPECT_EQ(world.region(1).tried, 0u);
}

TEST(TravelLedger, SharesItsBudgetWithOtherExperiments) {
  World world;
  world.ledger.share_budget(2 * TravelRules{}.budget.base_us);
  for (uint64_t region = 1; region < 10; ++region)
    EXPECT_FALSE(world.visit(region, losing)) << region;
  world.ledger.share_budget(0);
  EXPECT_TRUE(world.visit(20, losing));
}

/// It may be all of the rest of the run.
TEST(TravelLedger, ANewRegionGoesWhenThereIsABudgetAgain) {
  World world;
  const TravelRules rules;
  world.ledger.share_budget(rules.budget.at(world.now_us) + 10'000);
  const auto permit = world.ledger.begin(1, world.now_us, 0);
  ASSERT_TRUE(permit.travels);
  EXPECT_EQ(permit.allowance.at(0), 0);
  EXPECT_NEAR(rules.budget.at(world.now_us + permit.delay_us) - rules.budget.at(world.now_us),
              10'000 + rules.least_allowance_us, rules.least_allowance_us);
}

TEST(TravelLedger, TriesNothingWhenTheBudgetIsSpent) {
  World world;
  uint64_t region = 0;
  while (world.visit(++region, {10, 10, {.stays = 1, .abroad_us = 10'000}}))
    ASSERT_LT(region, 1000u);
  EXPECT_GE(world.ledger.lost_us(), TravelRules{}.budget.base_us);
  EXPECT_FALSE(world.visit(++region, losing));
  world.now_us += 1e9; // of which a share is to be had
  EXPECT_TRUE(world.visit(++region, losing));
}

} // namespace
} // namespace hetmp::schedulers
