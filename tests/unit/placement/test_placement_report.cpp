#include "runtime/nodes/placement_report.hpp"
#include "tests/unit/placement/program.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

using schedulers::Program;
using Kind = RegionChoice::Kind;

/// What the report says after the program has run.
perf::PlacementRecord record_after(const Program& program) {
  placing::Knowledge known;
  known.now_us = run_program(program, known.placer).taken_us;
  return placement_record(known, {Kind::Auto});
}

void expect_region(const perf::PlacementRecord& record, bool spread, const char* because) {
  ASSERT_EQ(record.regions.size(), 1u);
  EXPECT_EQ(record.regions[0].spread, spread);
  EXPECT_NE(record.regions[0].because.find(because), std::string::npos) << record.regions[0].because;
}

TEST(PlacementReport, SaysHowMuchFasterRegionsAre) {
  const perf::PlacementRecord record =
      record_after({.cycle = {{.home_us = 10'000, .spread_us = 5'000}}, .cycles = 400, .noise = 0});
  expect_region(record, true, "2.00 times as fast");
  EXPECT_EQ(record.trials, 1u);
  EXPECT_EQ(record.lost_us, 0);
  const perf::PlacedRegion& region = record.regions[0];
  EXPECT_EQ(region.home_visits + region.spread_visits, 400u);
  EXPECT_NEAR(region.home_us, 10'000, 1);
  EXPECT_NEAR(region.spread_us, 5'000, 1);
  EXPECT_LE(region.total_us, record.run_us);
}

TEST(PlacementReport, SaysWhereTurnsAreShort) {
  placing::Knowledge known;
  known.now_us = run_program({.cycle = {{.home_us = 10'000, .spread_us = 90'000}}, .cycles = 4}, known.placer).taken_us;
  known.turns_us[known.placer.regions().begin()->first] = 200;
  expect_region(placement_record(known, {Kind::Auto}), false, "in turns of 200 us");
}

TEST(PlacementReport, SaysWhatTrialsHaveLost) {
  const perf::PlacementRecord record =
      record_after({.cycle = {{.home_us = 3'000, .spread_us = 9'000}}, .cycles = 1000, .noise = 0});
  expect_region(record, false, "several nodes took 3.00 times as long; to be tried again when the run takes ");
  EXPECT_GE(record.trials, 1u);
  EXPECT_GT(record.lost_us, 6'000);
}

TEST(PlacementReport, SaysWhyRegionsStay) {
  expect_region(record_after({.cycle = {{}}, .cycles = 2}), false, "its usual time is known after 3 visits and 20 ms");
  expect_region(record_after({.cycle = {{.home_us = 50, .spread_us = 30}}, .noise = 0}), false,
                "a visit takes 50 us, and nodes that meet are worth it from 300 us on");
  expect_region(record_after({.cycle = {{.home_us = 5000, .spread_us = 3000, .exchanges = 100}}}), false,
                "100 barriers, loops and locks a visit would each be a message");
  expect_region(record_after({.cycle = {{.home_us = 1e6, .spread_us = 5e5}}, .cycles = 10, .noise = 0}), false,
                "a trial could cost 5.00 s, the budget has 400 ms");
  expect_region(record_after({.cycle = {{.home_us = 12'000}}, .cycles = 4, .noise = 0}), false,
                "a trial could cost 60 ms, the budget has 7.50 ms");
  expect_region(record_after({.cycle = {{}}, .cycles = 1000, .serial_us = 19'000, .noise = 0}), false,
                "regions that could gain are 5.00 % of the run since they began, and a trial needs 20 %");
}

TEST(PlacementReport, SaysThatRegionsHaveNotLasted) {
  placing::Knowledge known;
  known.now_us = 10e6;
  for (int visit = 0; visit < 4; visit++) {
    EXPECT_FALSE(known.placer.begin(1, known.now_us, [] { return 0.0; }));
    known.placer.end(known.now_us += 12'000, {.trips = 100});
  }
  expect_region(placement_record(known, {Kind::Auto}), false,
                "a trial could cost 60 ms, and its regions had lasted 36 ms");
}

TEST(PlacementReport, RegionsThatTakeMostComeFirst) {
  const perf::PlacementRecord record =
      record_after({.cycle = {{.name = 1, .home_us = 10}, {.name = 2, .home_us = 100}, {.name = 3, .home_us = 40}}});
  ASSERT_EQ(record.regions.size(), 3u);
  EXPECT_EQ(record.regions[0].address, 2u);
  EXPECT_EQ(record.regions[1].address, 3u);
  EXPECT_EQ(record.regions[2].address, 1u);
}

TEST(PlacementReport, SaysWhatElseDecided) {
  placing::Knowledge known;
  EXPECT_TRUE(placement_record(known, {Kind::Origin}).others.empty());
  known.others[size_t(StaysHere::HasThreadVariables)] = 7;
  known.others[size_t(StaysHere::No)] = 2;
  const perf::PlacementRecord record = placement_record(known, {Kind::Auto});
  ASSERT_EQ(record.others.size(), 2u);
  EXPECT_EQ(record.others[0].visits, 2u);
  EXPECT_NE(record.others[0].why.find("OMP_SCHEDULE"), std::string::npos) << record.others[0].why;
  EXPECT_EQ(record.others[1].visits, 7u);
  EXPECT_NE(record.others[1].why.find("thread-local"), std::string::npos) << record.others[1].why;
}

TEST(PlacementReport, NamesTheSetting) {
  const placing::Knowledge known;
  EXPECT_EQ(placement_record(known, {Kind::Auto}).asked_for, "auto");
  EXPECT_EQ(placement_record(known, {Kind::Origin}).asked_for, "origin");
  EXPECT_EQ(placement_record(known, {Kind::All}).asked_for, "all");
  EXPECT_EQ(placement_record(known, {Kind::Random, 12}).asked_for, "random:12");
  EXPECT_EQ(placement_record(known, {Kind::Journeys, 12}).asked_for, "journeys:12");
}

} // namespace
} // namespace hetmp::runtime
