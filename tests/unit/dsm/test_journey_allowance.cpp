#include "dsm/migration/journeys/journey_allowance.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hetmp::dsm {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr GrowingAllowance lasting{
    .first_us = 5000, .later = {50'000, 1}, .budget = {.share = 0.02, .base_us = 60'000, .soon = 1e9}};

JourneyAllowance journey(const GrowingAllowance& in_all = lasting) {
  JourneyAllowance allowance;
  allowance.begin(in_all);
  return allowance;
}

TEST(JourneyAllowance, StaysShareIt) {
  JourneyAllowance allowance = journey({.first_us = 5000});
  EXPECT_EQ(allowance.grant(100), 5000);
  allowance.came_home(Homecoming::Gate, 2000, 2000, 200);
  EXPECT_EQ(allowance.departs_at(200), 200);
  EXPECT_EQ(allowance.grant(300), 3000);
  allowance.came_home(Homecoming::Gate, -10'000, -10'000, 400);
  EXPECT_EQ(allowance.grant(500), 5000) << "gains buy no more than there was at first";
  allowance.came_home(Homecoming::Loses, 5100, 5100, 600);
  EXPECT_EQ(allowance.departs_at(600), never);
}

TEST(JourneyAllowance, ARegionThatLastsMayLoseMoreLater) {
  JourneyAllowance allowance = journey();
  allowance.grant(25'000);
  allowance.came_home(Homecoming::Loses, 5100, 5100, 30'000);
  const double next_us = allowance.departs_at(30'000);
  EXPECT_EQ(next_us, 50'000);
  EXPECT_NEAR(allowance.grant(next_us), 61'000 - 5100, 1);
}

TEST(JourneyAllowance, WhatHasLostAllIsFollowedByTwoShortStays) {
  JourneyAllowance allowance = journey();
  double now_us = 60'000, lost_us = 0;
  const double first_us = allowance.grant(now_us);
  for (uint32_t stay = 0; stay < JourneyAllowance::most_follow_ups; ++stay) {
    const double granted_us = stay == 0 ? first_us : first_us * JourneyAllowance::follow_up_share;
    allowance.came_home(Homecoming::Loses, granted_us, granted_us, now_us);
    lost_us += granted_us;
    EXPECT_EQ(allowance.departs_at(now_us), now_us);
    EXPECT_EQ(allowance.grant(now_us), first_us * JourneyAllowance::follow_up_share);
  }
  allowance.came_home(Homecoming::Loses, first_us * JourneyAllowance::follow_up_share,
                      first_us * JourneyAllowance::follow_up_share, now_us);
  lost_us += first_us * JourneyAllowance::follow_up_share;
  EXPECT_LE(lost_us, 1.5 * first_us);
  const double next_us = allowance.departs_at(now_us);
  ASSERT_LT(next_us, 1e7);
  EXPECT_GE(allowance.grant(next_us), 1.5 * first_us - 1);
}

TEST(JourneyAllowance, CopiesComePieceByPiece) {
  JourneyAllowance allowance = journey();
  double now_us = 60'000;
  const double first_us = allowance.grant(now_us), piece_us = first_us * JourneyAllowance::follow_up_share;
  allowance.came_home(Homecoming::Loses, first_us, 0, now_us);
  for (uint32_t stay = 0; stay < JourneyAllowance::most_follow_ups; ++stay) {
    allowance.grant(now_us);
    allowance.came_home(Homecoming::Loses, piece_us, 0, now_us);
  }
  double lost_us = 1.5 * first_us;
  for (int stay = 0; stay < 5; ++stay) {
    now_us = allowance.departs_at(now_us);
    EXPECT_NEAR(lasting.at(now_us), lost_us + piece_us, 1) << "no sooner";
    EXPECT_NEAR(allowance.grant(now_us), piece_us, 1);
    allowance.came_home(Homecoming::Loses, piece_us, 0, now_us);
    lost_us += piece_us;
    EXPECT_GT(allowance.departs_at(now_us), now_us) << "and without a follow-up";
  }
  now_us = allowance.departs_at(now_us);
  allowance.grant(now_us);
  allowance.came_home(Homecoming::Loses, piece_us, piece_us, now_us);
  lost_us += piece_us;
  EXPECT_NEAR(lasting.at(allowance.departs_at(now_us)), lost_us + JourneyAllowance::more * first_us, 1)
      << "these are pages that others want back";
}

TEST(JourneyAllowance, AFollowUpThatGainsPaysForWhatWasLost) {
  JourneyAllowance allowance = journey();
  const double first_us = allowance.grant(60'000);
  allowance.came_home(Homecoming::Loses, first_us, first_us, 100'000);
  allowance.grant(110'000);
  allowance.came_home(Homecoming::Gate, -2 * first_us, -2 * first_us, 300'000);
  EXPECT_EQ(allowance.departs_at(300'000), 300'000);
  EXPECT_GE(allowance.grant(300'000), first_us);
}

} // namespace
} // namespace hetmp::dsm
