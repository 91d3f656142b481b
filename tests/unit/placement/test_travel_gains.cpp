// What the ledger of journeys makes of stays: what they gain, and what it tells the next visit and the placement.
#include "tests/unit/placement/travel_world.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

/// On an origin with half a CPU, what is computed elsewhere would have taken twice as long.
TEST(TravelLedger, WhatWouldHaveTakenLongerAtHomeIsGained) {
  for (const double longer_us : {0.0, 90'000.0}) {
    TravelLedger ledger;
    ledger.begin(1, 0, 0);
    const TravelLedger::Visit visit{.stays = 1, .abroad_us = 100'000, .computed_us = 90'000, .longer_us = longer_us};
    const auto effect = ledger.end(1, 200'000, 0, visit);
    EXPECT_NEAR(effect.gained_us, 80'000 + longer_us, 1'000);
    EXPECT_EQ(ledger.begin(1, 200'000, 0).travels, longer_us != 0) << "else it shows first how long it takes at home";
  }
}

/// Both sides get on at the same time: the visit is late by the waits of one of them.
TEST(TravelLedger, OfWaitsOnBothSidesTheLongerOnesCount) {
  for (const double home_us : {0.0, 10'000.0, 30'000.0, 45'000.0}) {
    TravelLedger ledger;
    ledger.begin(1, 0, 0);
    ledger.end(1, 200'000, home_us, {.stays = 1, .abroad_us = 100'000, .computed_us = 70'000});
    const double gained_us = 70'000 - std::max(30'000.0, home_us) - TravelRules{}.way_us;
    EXPECT_NEAR(ledger.regions().at(1).gained_us, gained_us, 1e-6) << home_us;
  }
}

TEST(TravelLedger, RemembersWhatAChangeOfPlacesNeeds) {
  TravelLedger ledger;
  EXPECT_EQ(ledger.begin(1, 0, 0).thread_us, 0);
  TravelLedger::Visit visit = gaining.stay;
  visit.thread_us = 7'000;
  visit.changes = 2;
  visit.changes_waited_us = 3'000;
  ledger.end(1, 10'000, 0, visit);
  const auto permit = ledger.begin(1, 20'000, 0);
  EXPECT_EQ(permit.thread_us, 7'000);
  EXPECT_EQ(permit.change_us, 1'500);
  ledger.end(1, 30'000, 0, gaining.stay);
  EXPECT_EQ(ledger.begin(1, 40'000, 0).change_us, 1'500) << "what has not changed places tells nothing of it";
}

TEST(TravelLedger, SaysWhatItsStaysHaveWaitedForAPage) {
  TravelLedger ledger;
  ledger.begin(1, 0, 0);
  TravelLedger::Visit visit{.stays = 1, .abroad_us = 10'000, .computed_us = 8'000};
  visit.fetched = TravelLedger::Region::least_fetched / 2;
  EXPECT_EQ(ledger.end(1, 20'000, 0, visit).fetching_us, 0) << "too few";
  ledger.begin(1, 30'000, 0);
  EXPECT_EQ(ledger.end(1, 50'000, 0, visit).fetching_us, 4'000.0 / TravelLedger::Region::least_fetched);
  ledger.begin(1, 60'000, 0);
  EXPECT_GT(ledger.end(1, 80'000, 0, {}).fetching_us, 0) << "of those before";
}

} // namespace
} // namespace hetmp::schedulers
