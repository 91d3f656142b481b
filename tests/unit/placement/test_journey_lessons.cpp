// What a run teaches the next one about the journeys of its regions' threads.
#include "schedulers/placement/travel_ledger.hpp"
#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

TravelLedger::Visit good_visit() { return {.stays = 1, .abroad_us = 10'000, .computed_us = 10'000, .pages = 1}; }
TravelLedger::Visit bad_visit() { return {.stays = 1, .abroad_us = 10'000, .computed_us = 10, .pages = 1000}; }

/// Visits of 20 ms, one after the other, as long as threads may travel; the time then.
double visit(TravelLedger& ledger, int visits, const TravelLedger::Visit& each) {
  double now_us = 0;
  for (int i = 0; i < visits; i++) {
    const bool travels = ledger.begin(1, now_us, 0).travels;
    now_us += travels ? 20'000 - each.computed_us : 20'000;
    ledger.end(1, now_us, 0, travels ? each : TravelLedger::Visit{});
  }
  return now_us;
}

TEST(JourneyLessons, WhatPaidDepartsSoonOnItsFirstVisit) {
  TravelLedger ledger;
  visit(ledger, 10, good_visit());
  const JourneyLessons lessons = ledger.lessons();
  ASSERT_TRUE(lessons.at(1).paid);
  EXPECT_GT(lessons.at(1).gain_us, 5'000);
  const TravelRules rules;
  TravelLedger unknown, known;
  known.recall(lessons);
  EXPECT_EQ(unknown.begin(1, grown_us, 0).delay_us, rules.first_us);
  EXPECT_EQ(known.begin(1, grown_us, 0).delay_us, rules.known_us);
  EXPECT_FALSE(known.regions().at(1).pays) << "before it has";
}

TEST(JourneyLessons, WhatLostRestsAsLongAsThen) {
  TravelLedger ledger;
  visit(ledger, 1000, bad_visit());
  const JourneyLesson lesson = ledger.lessons().at(1);
  ASSERT_FALSE(lesson.paid);
  ASSERT_GT(lesson.rest_us, 20'000);
  EXPECT_LT(lesson.gain_us, 0);
  TravelLedger again;
  again.recall({{1, lesson}});
  EXPECT_FALSE(again.begin(1, lesson.rest_us - 1, 0).travels);
  again.end(1, lesson.rest_us - 1, 0, {});
  double now_us = lesson.rest_us;
  for (uint32_t i = 1; i < TravelRules{}.visits_at_home; i++) { // it shows how long it takes there
    EXPECT_FALSE(again.begin(1, now_us, 0).travels);
    again.end(1, now_us += 10, 0, {});
  }
  EXPECT_TRUE(again.begin(1, now_us, 0).travels);
}

/// A region that promises and loses is no dearer than one that nobody knows, but for the visit that shows it.
TEST(JourneyLessons, FalsePromisesAreWithinTheBudget) {
  struct Lost {
    uint32_t visits;
    double us, budget_us;
  };
  const auto lost = [](const JourneyLessons& lessons) {
    const TravelRules rules;
    TravelLedger ledger;
    ledger.recall(lessons);
    const double now_us = visit(ledger, 200, bad_visit());
    return Lost{ledger.regions().at(1).visits, ledger.lost_us(), rules.budget.at(now_us)};
  };
  const Lost promised = lost({{1, {.paid = true, .gain_us = 1e9}}}), unknown = lost({});
  EXPECT_LE(promised.visits, unknown.visits + 1);
  EXPECT_LE(promised.us, promised.budget_us);
  EXPECT_LE(unknown.us, unknown.budget_us);
}

TEST(JourneyLessons, AreForgottenWhenTheyAreOld) {
  JourneyLessons lessons{{1, {.paid = false, .gain_us = -5, .rest_us = 1e9}}};
  for (uint32_t run = 1; run <= oldest_lesson; run++) {
    TravelLedger ledger;
    ledger.recall(lessons);
    ASSERT_FALSE(ledger.begin(1, 0, 0).travels);
    ledger.end(1, 10, 0, {});
    lessons = ledger.lessons();
    ASSERT_EQ(lessons.at(1).age, run);
  }
  TravelLedger ledger;
  ledger.recall(lessons);
  EXPECT_TRUE(ledger.begin(1, 0, 0).travels);
  EXPECT_TRUE(ledger.lessons().empty());
}

} // namespace
} // namespace hetmp::schedulers
