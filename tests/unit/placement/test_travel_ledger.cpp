// Which regions' threads go on elsewhere: what pays goes on, and what uses the same data goes with it; what loses rests
// ever longer. What they may lose in all: test_travel_budget.cpp.
#include "tests/unit/placement/travel_world.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

TEST(TravelLedger, KeepsOnWithWhatPays) {
  World world;
  for (int visit = 0; visit < 1000; ++visit)
    ASSERT_TRUE(world.visit(1, gaining)) << visit;
  const auto permit = world.ledger.begin(1, world.now_us, 0);
  EXPECT_TRUE(permit.travels);
  EXPECT_TRUE(permit.at_once);
  EXPECT_EQ(permit.delay_us, TravelRules{}.known_us);
  EXPECT_TRUE(world.region(1).pays);
  EXPECT_EQ(world.ledger.lost_us(), 0);
}

TEST(TravelLedger, LeavesShortVisitsToTrials) {
  constexpr Kind lasting{100'000, 60'000, gaining.stay};
  World world;
  world.ledger.leave_to_trials(true);
  EXPECT_TRUE(world.ledger.begin(1, 0, 0).travels) << "what nobody has seen may be a long one";
  world.ledger.end(1, 20'000, 0, {});
  for (int visit = 0; visit < 20; ++visit)
    EXPECT_FALSE(world.visit(1, gaining)) << visit;
  EXPECT_TRUE(world.travels_at_last(2, lasting));
  world.ledger.leave_to_trials(false);
  EXPECT_TRUE(world.travels_at_last(1, gaining));
  world.ledger.leave_to_trials(true);
  EXPECT_TRUE(world.visit(1, gaining)) << "its journeys have shown what they bring";
}

/// Its first visit was long because it found new memory: what has begun then ends with the next short ones.
TEST(TravelLedger, EndsWhatATrialOfAllNodesDoesForLess) {
  constexpr TravelLedger::Visit losing{.stays = 1, .abroad_us = 10'000, .computed_us = 500, .pages = 10};
  TravelLedger ledger;
  ledger.leave_to_trials(true);
  double now_us = grown_us;
  EXPECT_TRUE(ledger.begin(1, now_us, 0).travels);
  ledger.end(1, now_us += 30'000, 0, losing);
  for (uint32_t visit = 0; visit < TravelRules{}.visits_at_home; visit++) {
    ledger.begin(1, now_us, 0);
    ledger.end(1, now_us += 5'000, 0, {});
  }
  EXPECT_EQ(ledger.regions().at(1).tried, 1u);
  EXPECT_FALSE(ledger.begin(1, now_us, 0).travels);
  EXPECT_EQ(ledger.regions().at(1).tried, 0u);
  EXPECT_TRUE(ledger.take_given_up()) << "what has been fetched is of no use there";
}

TEST(TravelLedger, LeavesThreadsAtHomeThatMeetAllTheTime) {
  constexpr TravelRules rules;
  constexpr double visit_us = 40'000;
  constexpr auto too_many = uint32_t(visit_us / rules.exchange_us) + 1;
  TravelLedger ledger;
  double now_us = grown_us;
  const auto visit = [&](uint64_t region, TravelLedger::Visit seen) {
    const bool travels = ledger.begin(region, now_us, 0).travels;
    ledger.end(region, now_us += visit_us, 0, seen);
    return travels;
  };
  const auto visits_that_travel = [&](uint64_t region, uint32_t exchanges) {
    uint32_t count = 0;
    for (int i = 0; i < 20; ++i)
      count += visit(region, {.exchanges = exchanges});
    return count;
  };
  EXPECT_EQ(visits_that_travel(1, too_many), 1u) << "the first one, of which nothing is known";
  EXPECT_GT(visits_that_travel(1, too_many / 2), 10u) << "the last visit tells";
  EXPECT_GT(visits_that_travel(2, rules.few_exchanges), 10u);
  constexpr TravelLedger::Visit losing{.stays = 1, .abroad_us = 20'000, .computed_us = 500, .exchanges = too_many};
  EXPECT_TRUE(visit(3, losing));
  EXPECT_EQ(ledger.regions().at(3).tried, 1u);
  EXPECT_FALSE(visit(3, {.exchanges = too_many}));
  EXPECT_EQ(ledger.regions().at(3).tried, 0u) << "the trial is over";
}

TEST(TravelLedger, RestsUntilALossIsSmall) {
  constexpr TravelLedger::Visit losing{.stays = 1, .abroad_us = 20'000, .computed_us = 500, .pages = 0};
  TravelLedger ledger;
  double now_us = 0;
  for (uint32_t tried = 1; tried != 0; tried = ledger.regions().at(1).tried) {
    ledger.begin(1, now_us, 0);
    ledger.end(1, now_us += 30'000, 0, losing);
  }
  const double lost_us = -ledger.regions().at(1).gained_us;
  EXPECT_GT(lost_us, 15'000);
  EXPECT_NEAR(ledger.regions().at(1).rests_until_us - now_us, lost_us / TravelRules{}.loss_again, 1);
}

TEST(TravelLedger, SaysWhatJourneysHaveDisturbed) {
  TravelLedger ledger;
  ledger.begin(1, 0, 0);
  EXPECT_FALSE(ledger.end(1, 10'000, 0, {}).disturbed);
  ledger.begin(1, 20'000, 0);
  EXPECT_TRUE(ledger.end(1, 30'000, 1'000, {}).disturbed) << "it waited for a tenth of its time";
  ledger.begin(1, 40'000, 1'000);
  const auto effect = ledger.end(1, 50'000, 1'000, gaining.stay);
  EXPECT_TRUE(effect.disturbed);
  EXPECT_TRUE(effect.gains);
}

TEST(TravelLedger, SaysWhetherJourneysGain) {
  TravelLedger ledger;
  for (const bool gains : {false, true}) {
    ledger.begin(1 + gains, 0, 0);
    constexpr TravelLedger::Visit losing{.stays = 1, .abroad_us = 10'000, .computed_us = 1'000, .pages = 100};
    EXPECT_EQ(ledger.end(1 + gains, 20'000, 0, gains ? gaining.stay : losing).gains, gains);
  }
}

TEST(TravelLedger, WaitsLongerWithWhatNobodyKnows) {
  World world;
  const TravelRules rules;
  EXPECT_EQ(world.ledger.begin(1, world.now_us, 0).delay_us, rules.first_us);
  world.ledger.end(1, world.now_us + 100, 0, {});
  for (uint32_t visit = 1; visit < rules.visits_at_home; ++visit) {
    EXPECT_FALSE(world.ledger.begin(1, world.now_us + 200 * visit, 0).travels) << "it shows how long it takes at home";
    world.ledger.end(1, world.now_us + 200 * visit + 100, 0, {});
  }
  const auto permit = world.ledger.begin(1, world.now_us + 1000, 0);
  EXPECT_TRUE(permit.travels);
  EXPECT_EQ(permit.delay_us, rules.unknown_us) << "visits without stays say nothing";
  EXPECT_FALSE(permit.at_once);
}

TEST(TravelLedger, LetsWhatLosesRestEverLongerUpToAShareOfTheRun) {
  World world;
  std::vector<double> rests, limits;
  double rested_since = -1;
  constexpr Kind kind{1000, 1400, losing.stay};
  for (int visit = 0; visit < 400'000 && rests.size() < 5; ++visit) {
    const bool travels = world.visit(1, kind);
    if (!travels && rested_since < 0 && visit > 10)
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
  EXPECT_FALSE(world.region(1).pays);
}

TEST(TravelLedger, GivesWhatImprovesSomeVisits) {
  World world;
  for (int i = 0; i < 2; ++i) { // what it takes at home
    world.ledger.begin(1, world.now_us, 0);
    world.now_us += 30'000;
    world.ledger.end(1, world.now_us, 0, {});
  }
  double waited_us = 20'000;
  for (uint32_t visit = 0; visit < TravelRules{}.visits_to_try; ++visit, waited_us /= 4) {
    const Kind kind{30'000, 28'000 + waited_us, {.stays = 1, .abroad_us = waited_us + 2000, .computed_us = 2000}};
    EXPECT_TRUE(world.visit(1, kind));
  }
  EXPECT_TRUE(world.region(1).pays) << "its data has come";
}

TEST(TravelLedger, ARegionThatNoLongerPaysIsToldByItsLosses) {
  World world;
  EXPECT_TRUE(world.visit(1, gaining));
  uint32_t visits = 0;
  while (world.visit(1, losing))
    ASSERT_LT(++visits, 100u);
  EXPECT_EQ(visits, TravelRules{}.visits_to_try);
}

/// Its threads compute a lot elsewhere, and it takes as long as ever.
/// It gains a fifth, as long as the machine is as fast as when it was seen at home.
Kind slow_to_gain(double speed) {
  return {200'000 / speed, 160'000, {.stays = 1, .abroad_us = 100'000, .computed_us = 90'000, .pages = 10}};
}

TEST(TravelLedger, ShowsAnewHowLongItTakesAtHomeEverLessOften) {
  World world;
  std::vector<uint32_t> away(1), home(1); // visits, one after the other
  for (int visit = 0; visit < 200; ++visit) {
    const bool travels = world.visit(1, slow_to_gain(1));
    if (travels && home.back() != 0) {
      away.push_back(0);
      home.push_back(0);
    }
    (travels ? away : home).back()++;
  }
  const TravelRules rules;
  ASSERT_GE(away.size(), 4u);
  EXPECT_EQ(away[0], 1u); // the first visit of all shows that it pays
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(home[i], rules.visits_at_home);
  for (size_t i = 1; i < 4; ++i) {
    const double spent_us = away[i] * slow_to_gain(1).away_us, wanted_us = rules.doubted_us * (1 << (i - 1));
    EXPECT_NEAR(spent_us, wanted_us, slow_to_gain(1).away_us) << i;
  }
  EXPECT_TRUE(world.region(1).pays);
}

TEST(TravelLedger, DoesNotDoubtWhatGainsMuch) {
  World world;
  const Kind much{200'000, 140'000, {.stays = 1, .abroad_us = 100'000, .computed_us = 90'000, .pages = 10}};
  ASSERT_TRUE(world.travels_at_last(1, much));
  for (int visit = 0; visit < 8; ++visit)
    world.visit(1, much); // of which some show what it takes at home
  for (int visit = 0; visit < 1000; ++visit)
    EXPECT_TRUE(world.visit(1, much)) << visit;
}

TEST(TravelLedger, WhatGainsNothingAnyMoreOnAFasterMachineIsFound) {
  World world;
  for (int visit = 0; visit < 8; ++visit)
    world.visit(1, slow_to_gain(1));
  ASSERT_TRUE(world.region(1).pays);
  uint32_t travelled = 0;
  for (int visit = 0; visit < 200; ++visit)
    travelled += world.visit(1, slow_to_gain(1.5));
  EXPECT_LE(travelled, 60u); // it is tried again after ever longer rests
  EXPECT_FALSE(world.region(1).pays);
}

TEST(TravelLedger, WhatIsNoShorterThanAtHomeDoesNotPay) {
  World world;
  constexpr Kind kind{20'000, 20'500, {.stays = 1, .abroad_us = 14'000, .computed_us = 11'000, .pages = 100}};
  int travelled = 0;
  for (int visit = 0; visit < 100; ++visit)
    travelled += world.visit(1, kind);
  EXPECT_FALSE(world.region(1).pays);
  EXPECT_LT(travelled, 70);
  EXPECT_LT(world.region(1).gained_us, 0);
}

TEST(TravelLedger, ChargesWaitsAtHomeToWhoTravelledLast) {
  World world;
  EXPECT_TRUE(world.visit(1, gaining));
  const double before = world.region(1).gained_us;
  world.pass(6000, 6000); // between the visits
  world.visit(2, {10, 10, {}});
  EXPECT_EQ(world.region(1).gained_us, before - 6000);
  EXPECT_EQ(world.region(2).gained_us, 0);
  // A visit that seems to gain, and whose pages cost those at home more than that.
  Kind costly = gaining;
  costly.waited_afterwards_us = 20'000;
  uint32_t visits = 0;
  while (world.visit(1, costly) && visits < 100)
    ++visits;
  EXPECT_LE(visits, TravelRules{}.visits_to_try + 4);
}

// ---- regions that use the same data

/// A long region that gains, and a short one that fetches the data back, unless it travels, too.
struct Pair {
  World world;
  bool data_is_away = false;
  double short_away_us = 900;   ///< if both travel,
  double short_waits_us = 3000; ///< and if it does not, the wait alone
  int long_travelled = 0, short_travelled = 0;

  void cycle() {
    Kind kind{20'000, data_is_away ? 11'000.0 : 15'000.0, {}};
    kind.stay = {
        .stays = 1, .abroad_us = kind.away_us - 1000, .computed_us = 10'000, .pages = data_is_away ? 10u : 900u};
    const bool travelled = world.visit(1, kind);
    long_travelled += travelled;
    data_is_away = data_is_away || travelled;
    const bool together = world.ledger.begin(2, world.now_us, world.waited_us).at_once;
    if (together) {
      world.pass(short_away_us, 0);
      world.ledger.end(2, world.now_us, world.waited_us,
                       {.stays = 1, .abroad_us = 600, .computed_us = 500, .pages = 5});
    } else {
      world.pass(data_is_away ? 5000 + short_waits_us : 1000,
                 data_is_away ? short_waits_us : 0); // it waits, and the pages take time besides
      world.ledger.end(2, world.now_us, world.waited_us, {});
      data_is_away = false;
    }
    short_travelled += together;
  }
};

TEST(TravelLedger, WhatUsesTheDataOfARegionThatTravelsFollowsIt) {
  Pair pair;
  for (int i = 0; i < 50; ++i)
    pair.cycle();
  EXPECT_TRUE(pair.world.region(1).pays);
  EXPECT_GT(pair.long_travelled, 40);
  EXPECT_GT(pair.short_travelled, 40);
  EXPECT_LT(pair.world.ledger.lost_us(), 1000) << "the gains have made up for it";
}

TEST(TravelLedger, WhoFollowsInVainStopsAndSoDoesItsLeader) {
  Pair pair;
  pair.short_away_us = 15'000;
  pair.short_waits_us = 7000;
  for (int i = 0; i < 100; ++i)
    pair.cycle();
  EXPECT_FALSE(pair.world.region(1).pays);
  EXPECT_LT(pair.short_travelled, 45);
  EXPECT_LT(pair.world.ledger.lost_us(), 2 * TravelRules{}.budget.at(pair.world.now_us));
}

/// As the planes of a sweep over a grid follow the region before it, hundreds of times, and each is another long one.
TEST(TravelLedger, WhoeverFollowsForLongStaysWithinTheBudget) {
  World world;
  ASSERT_TRUE(world.travels_at_last(1, {100'000, 100'000, {.stays = 1, .abroad_us = 3000, .computed_us = 200}}));
  int followed = 0;
  for (int plane = 0; plane < 500; ++plane) {
    const double home_us = plane % 3 == 0 ? 400 : 1200;
    if (world.ledger.begin(2, world.now_us, world.waited_us).at_once) {
      world.pass(home_us + 4000, 2000);
      world.ledger.end(2, world.now_us, world.waited_us, {.stays = 1, .abroad_us = 2000, .computed_us = 100});
      followed++;
    } else {
      const double waited_us = plane < 5 ? 3000 : 0;
      world.pass(home_us + 2 * waited_us, waited_us);
      world.ledger.end(2, world.now_us, world.waited_us, {});
    }
  }
  EXPECT_GT(followed, 0);
  EXPECT_LT(world.ledger.lost_us(), 1.1 * TravelRules{}.budget.at(world.now_us));
}

TEST(TravelLedger, ASmallRegionBesideOneThatTravelsIsNotTriedByItself) {
  constexpr Kind small{1500, 3000, {.stays = 1, .abroad_us = 1000, .computed_us = 200, .pages = 20}};
  World world;
  for (int visit = 0; visit < 200; ++visit) {
    ASSERT_TRUE(world.visit(1, gaining)) << visit;
    ASSERT_TRUE(!world.visit(2, small) || visit == 0) << visit << ": what nobody has seen may be a long one";
  }
  World alone;
  EXPECT_TRUE(alone.travels_at_last(2, small));
}

TEST(TravelLedger, WhatOthersCauseIsNotCharged) {
  World world;
  ASSERT_TRUE(world.travels_at_last(1, gaining));
  const double gained_us = world.region(1).gained_us;
  world.ledger.others_begin(world.waited_us);
  world.pass(50'000, 40'000);
  world.visit(2, {.home_us = 10, .away_us = 10, .stay = {}});
  EXPECT_EQ(world.region(1).gained_us, gained_us);
  ASSERT_TRUE(world.visit(1, gaining));
  const double gained_more_us = world.region(1).gained_us;
  world.pass(5'000, 4'000);
  world.visit(2, {.home_us = 10, .away_us = 10, .stay = {}});
  EXPECT_LT(world.region(1).gained_us, gained_more_us) << "its threads were away last";
}

TEST(TravelLedger, TheFirstWholeVisitIsNotComparedWithAPartOfOne) {
  World world;
  const auto fetches = [&](double waited_us) {
    const Kind kind{100'000,
                    80'000 + waited_us,
                    {.stays = 5, .abroad_us = 50'000 + waited_us, .computed_us = 50'000, .pages = 2000}};
    return world.visit(1, kind);
  };
  world.now_us = 1e6;
  EXPECT_TRUE(fetches(55'000)) << "threads departed late";
  for (uint32_t visit = 0; visit < TravelRules{}.visits_at_home; ++visit)
    ASSERT_FALSE(fetches(0));
  ASSERT_TRUE(fetches(90'000)) << "which brings everything";
  ASSERT_TRUE(fetches(30'000));
  ASSERT_TRUE(fetches(5'000));
  EXPECT_TRUE(world.region(1).pays);
}

TEST(TravelLedger, SaysOnceThatTheLastRegionIsGivenUp) {
  World world;
  ASSERT_TRUE(world.travels_at_last(1, gaining));
  ASSERT_TRUE(world.region(1).pays);
  EXPECT_FALSE(world.ledger.take_given_up());
  ASSERT_TRUE(world.travels_at_last(2, losing));
  for (int visit = 0; visit < 50; ++visit)
    world.visit(2, losing);
  ASSERT_FALSE(world.region(2).pays);
  EXPECT_FALSE(world.ledger.take_given_up()) << "the other one has its pages there";
  for (int visit = 0; visit < 1000 && world.region(1).pays; ++visit)
    world.visit(1, losing);
  ASSERT_FALSE(world.region(1).pays);
  EXPECT_TRUE(world.ledger.take_given_up());
  EXPECT_FALSE(world.ledger.take_given_up());
}

} // namespace
} // namespace hetmp::schedulers
