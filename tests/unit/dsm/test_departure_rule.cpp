// When a thread that has come home departs again.
#include "dsm/migration/journeys/departure_rule.hpp"

#include <gtest/gtest.h>

namespace hetmp::dsm {
namespace {

constexpr int64_t ms = 1'000'000;

TEST(DepartureRule, DelaysKeepWithinLimits) {
  DepartureRule rule;
  rule.begin(0);
  EXPECT_EQ(rule.delay_ns(), DepartureRule::soonest_ns);
  EXPECT_TRUE(rule.departs_at_once());
  rule.begin(INT64_MAX);
  EXPECT_EQ(rule.delay_ns(), DepartureRule::latest_ns);
  rule.begin(ms);
  EXPECT_EQ(rule.delay_ns(), ms);
  EXPECT_FALSE(rule.departs_at_once());
}

TEST(DepartureRule, DepartsAtOnceAfterAStayThatWasWorthIt) {
  DepartureRule rule;
  rule.begin(5 * ms);
  rule.came_home(Homecoming::Gate, 10 * ms, 9 * ms);
  EXPECT_EQ(rule.delay_ns(), DepartureRule::soonest_ns);
}

TEST(DepartureRule, WaitsEverLongerAfterOthers) {
  for (const Homecoming why :
       {Homecoming::Gate, Homecoming::Stopped, Homecoming::Loses, Homecoming::Called, Homecoming::Refused}) {
    DepartureRule rule;
    rule.begin(50'000);
    int64_t last = 0;
    for (int stay = 0; stay < 4; ++stay) {
      rule.came_home(why, 100'000, 50'000);
      EXPECT_GT(rule.delay_ns(), last);
      EXPECT_GE(rule.delay_ns(), DepartureRule::doubtful_ns);
      last = rule.delay_ns();
    }
    for (int stay = 0; stay < 100; ++stay)
      rule.came_home(why, 100'000, 50'000);
    EXPECT_EQ(rule.delay_ns(), DepartureRule::latest_ns);
  }
}

TEST(DepartureRule, AJourneyThatBeginsLateIsNotDoubtedForLonger) {
  DepartureRule soon, late;
  soon.begin(DepartureRule::doubtful_ns);
  late.begin(100 * ms);
  for (DepartureRule* const rule : {&soon, &late})
    rule->came_home(Homecoming::Loses, 3 * ms, ms / 2);
  EXPECT_EQ(late.delay_ns(), soon.delay_ns());
  EXPECT_LT(late.delay_ns(), 100 * ms);
}

TEST(DepartureRule, WhatWasCalledHomeWasNotWorthIt) {
  DepartureRule rule;
  rule.begin(ms);
  rule.came_home(Homecoming::Called, 100 * ms, 100 * ms);
  EXPECT_GE(rule.delay_ns(), DepartureRule::doubtful_ns);
}

TEST(DepartureRule, TriesAgainLessAndLessOften) {
  DepartureRule rule;
  rule.begin(ms);
  int64_t last = rule.retry_ns();
  EXPECT_EQ(last, DepartureRule::soonest_ns);
  for (int time = 0; time < 10; ++time) {
    const int64_t next = rule.retry_ns();
    EXPECT_TRUE(next == 2 * last || next == 2 * ms) << next;
    last = next;
  }
  rule.came_home(Homecoming::Gate, 0, 0);
  EXPECT_EQ(rule.retry_ns(), DepartureRule::soonest_ns);
}

/// To walk a deep stack may take as long as a try's wait: the thread would do nothing else.
TEST(DepartureRule, WaitsMuchLongerThanATryTakes) {
  for (const bool restless : {false, true}) {
    DepartureRule rule;
    rule.begin(ms, restless);
    for (const int64_t took_ns : {DepartureRule::soonest_ns, ms, 20 * ms})
      EXPECT_EQ(rule.retry_ns(took_ns), DepartureRule::between_tries * took_ns);
  }
}

TEST(DepartureRule, TheRestlessHeedNothing) {
  DepartureRule rule;
  rule.begin(ms, true);
  for (int stay = 0; stay < 10; ++stay) {
    rule.came_home(Homecoming::Loses, ms, 0);
    EXPECT_EQ(rule.delay_ns(), ms);
    EXPECT_EQ(rule.retry_ns(), DepartureRule::soonest_ns);
  }
  rule.begin(ms); // of another journey
  rule.came_home(Homecoming::Loses, ms, 0);
  EXPECT_NE(rule.delay_ns(), ms);
}

} // namespace
} // namespace hetmp::dsm
