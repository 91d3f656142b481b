// Which regions' threads go on elsewhere: what pays goes on, what loses rests ever longer, and all losses keep within a
// budget.
#include "schedulers/placement/travel_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hetmp::schedulers {
namespace {

/// Virtual time, and the faults of threads at home.
struct World {
  TravelLedger ledger;
  double now_us = 0;
  uint64_t faults = 0;

  /// A visit that takes so long, and does so if it may travel. Returns whether it might.
  bool visit(uint64_t region, double taken_us, const TravelLedger::Visit& seen, uint64_t faults_caused = 0) {
    const bool travels = ledger.begin(region, now_us, faults).travels;
    now_us += taken_us;
    faults += travels ? faults_caused : 0;
    ledger.end(region, now_us, faults, travels ? seen : TravelLedger::Visit{});
    return travels;
  }
};

constexpr TravelLedger::Visit gaining{.stays = 1, .abroad_us = 10'000, .computed_us = 9'500, .pages = 10};
constexpr TravelLedger::Visit losing{.stays = 1, .abroad_us = 4000, .computed_us = 500, .pages = 200};

TEST(TravelLedger, KeepsOnWithWhatPays) {
  World world;
  for (int visit = 0; visit < 1000; ++visit)
    ASSERT_TRUE(world.visit(1, 20'000, gaining)) << visit;
  const auto permit = world.ledger.begin(1, world.now_us, 0);
  EXPECT_TRUE(permit.travels);
  EXPECT_EQ(permit.delay_us, TravelRules{}.known_us);
  EXPECT_TRUE(world.ledger.regions().at(1).pays);
  EXPECT_EQ(world.ledger.lost_us(), 0);
}

TEST(TravelLedger, WaitsLongerWithWhatNobodyKnows) {
  World world;
  EXPECT_EQ(world.ledger.begin(1, 0, 0).delay_us, TravelRules{}.unknown_us);
  world.ledger.end(1, 100, 0, {});
  EXPECT_EQ(world.ledger.begin(1, 200, 0).delay_us, TravelRules{}.unknown_us) << "a visit without stays says nothing";
}

TEST(TravelLedger, LetsWhatLosesRestEverLongerUpToAShareOfTheRun) {
  World world;
  std::vector<double> rests, limits;
  double rested_since = -1;
  for (int visit = 0; visit < 200'000 && rests.size() < 5; ++visit) {
    const bool travels = world.visit(1, 1000, losing);
    if (!travels && rested_since < 0)
      rested_since = world.now_us;
    if (travels && rested_since >= 0) {
      rests.push_back(world.now_us - rested_since);
      limits.push_back(0.9 * TravelRules{}.longest_rest * rested_since);
      rested_since = -1;
    }
  }
  ASSERT_EQ(rests.size(), 5u);
  for (size_t i = 1; i < rests.size(); ++i)
    EXPECT_GT(rests[i], std::min(2 * rests[i - 1], limits[i])) << i;
  EXPECT_FALSE(world.ledger.regions().at(1).pays);
}

TEST(TravelLedger, GivesWhatImprovesSomeVisits) {
  World world;
  double waited_us = 20'000;
  for (uint32_t visit = 0; visit < TravelRules{}.visits_to_try; ++visit, waited_us /= 4)
    EXPECT_TRUE(world.visit(1, 30'000, {.stays = 1, .abroad_us = waited_us + 2000, .computed_us = 2000}));
  EXPECT_TRUE(world.ledger.regions().at(1).pays) << "its data has come";
}

TEST(TravelLedger, ARegionThatNoLongerPaysIsToldByItsLosses) {
  World world;
  EXPECT_TRUE(world.visit(1, 20'000, gaining));
  uint32_t visits = 0;
  while (world.visit(1, 20'000, losing))
    ASSERT_LT(++visits, 100u);
  EXPECT_EQ(visits, TravelRules{}.visits_to_try);
}

TEST(TravelLedger, ChargesFaultsAtHomeToWhoTravelledLast) {
  World world;
  EXPECT_TRUE(world.visit(1, 20'000, gaining));
  const double before = world.ledger.regions().at(1).gained_us;
  world.faults += 100; // between the visits
  world.visit(2, 10, {});
  EXPECT_EQ(world.ledger.regions().at(1).gained_us, before - 100 * TravelRules{}.fault_us);
  EXPECT_EQ(world.ledger.regions().at(2).gained_us, 0);
  // A visit that seems to gain, and whose pages cost those at home more than that.
  uint32_t visits = 0;
  while (world.visit(1, 20'000, gaining, 1000) && visits < 100)
    ++visits;
  EXPECT_LE(visits, TravelRules{}.visits_to_try + 1);
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
      const auto permit = world.ledger.begin(region, world.now_us, world.faults);
      const double taken_us = 50 + double(random() % 20'000);
      world.now_us += taken_us;
      TravelLedger::Visit seen;
      const uint64_t faults = random() % 4 == 0 ? random() % 50 : 0;
      if (permit.travels && taken_us > permit.delay_us) {
        seen.stays = 1 + uint32_t(random() % 3);
        seen.computed_us = region % 3 == 0 ? double(random() % 2000) : 0; // the others compute nothing
        seen.abroad_us =
            seen.computed_us + seen.stays * std::min(permit.allowance_us, taken_us) * double(random() % 100) / 100;
        world.faults += faults;
      }
      world.ledger.end(region, world.now_us, world.faults, seen);
      const double lost_here_us = seen.stays == 0 ? 0
                                                  : seen.stays * rules.way_us + seen.abroad_us - 2 * seen.computed_us +
                                                        double(faults) * rules.fault_us;
      lost_us = std::max(0.0, lost_us + lost_here_us);
      most_at_once_us = std::max(most_at_once_us, lost_here_us);
      // One region that has paid may lose for some visits before it rests.
      ASSERT_LE(lost_us,
                rules.budget_base_us + rules.budget_share * world.now_us + 8 * rules.visits_to_try * most_at_once_us)
          << "seed " << seed << ", visit " << visit;
    }
  }
}

TEST(TravelLedger, TriesNothingWhenTheBudgetIsSpent) {
  World world;
  uint64_t region = 0;
  while (world.visit(++region, 10, {.stays = 1, .abroad_us = 10'000}))
    ASSERT_LT(region, 1000u);
  EXPECT_GE(world.ledger.lost_us(), TravelRules{}.budget_base_us);
  EXPECT_FALSE(world.visit(++region, 10, losing));
  world.now_us += 1e9; // of which a share is to be had
  EXPECT_TRUE(world.visit(++region, 10, losing));
}

} // namespace
} // namespace hetmp::schedulers
