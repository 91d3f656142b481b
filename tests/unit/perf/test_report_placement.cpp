#include "json_reader.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_html.hpp"
#include "perf/report/report_text.hpp"

#include <gtest/gtest.h>

namespace hetmp::perf {
namespace {

PlacedRegion gaining() {
  PlacedRegion region;
  region.source = ";src/flow.c;solve;40;1;;";
  region.address = 0x401200;
  region.place = "flow+0x1200";
  region.home_visits = 12;
  region.spread_visits = 300;
  region.home_us = 18'000;
  region.spread_us = 10'000;
  region.total_us = 3'216'000;
  region.spread = true;
  region.because = "1.80 times as fast";
  return region;
}

PlacedRegion new_one() {
  PlacedRegion region;
  region.address = 0x401300;
  region.home_visits = 1;
  region.because = "too <new>";
  return region;
}

Report learned() {
  Report report;
  report.nodes = 2;
  report.placement.asked_for = "auto";
  report.placement.run_us = 4'000'000;
  report.placement.trials = 2;
  report.placement.lost_us = 12'000;
  report.placement.no_journeys = "the program refers to dlsym";
  report.placement.budget_left_us = 208'000;
  report.placement.others = {{"at home: they smoke", 1}};
  report.placement.regions = {gaining(), new_one()};
  return report;
}

TEST(ReportPlacement, TextHasALineForTheProgramAndOneForEachRegion) {
  EXPECT_EQ(format_placement(learned()),
            "hetmp: placement: HETMP_PLACEMENT=auto; 2 trials on several nodes, those given up lost 12 ms; trials may "
            "lose 208 ms more; no thread goes on elsewhere for a while: the program refers to dlsym; 1 visit of other "
            "regions at home: they smoke\n"
            "hetmp: parallel region flow.c:40 solve; 80 % of the run; at home 12 visits, usually 18 ms; on several "
            "nodes 300 visits, usually 10 ms -> on several nodes: 1.80 times as fast\n"
            "hetmp: parallel region (no source line; built without -g?) region at 0x401300; 0.00 % of the run; at home "
            "1 visit -> at home: too <new>\n");
}

TEST(ReportPlacement, TextSaysWhatDecidedWhereNothingWasLearned) {
  Report report;
  EXPECT_EQ(format_placement(report), "");
  report.placement.asked_for = "origin";
  EXPECT_EQ(format_placement(report),
            "hetmp: placement: HETMP_PLACEMENT=origin; no region could run on several nodes\n");
  report.placement.others = {{"at home, as HETMP_PLACEMENT asks", 7}};
  report.placement.unheeded = "nobody listened";
  EXPECT_EQ(format_placement(report),
            "hetmp: placement: HETMP_PLACEMENT=origin; nobody listened; 7 visits of regions at "
            "home, as HETMP_PLACEMENT asks\n");
  report.placement.unheeded = "";
  EXPECT_EQ(format_placement(report),
            "hetmp: placement: HETMP_PLACEMENT=origin; 7 visits of regions at home, as HETMP_PLACEMENT asks\n");
}

TEST(ReportPlacement, TimesHaveTheUnitThatPeopleWouldChoose) {
  EXPECT_EQ(in_time(12.4), "12 us");
  EXPECT_EQ(in_time(1240), "1.24 ms");
  EXPECT_EQ(in_time(12.4e6), "12 s");
}

TEST(ReportPlacement, JsonHasItAll) {
  const Json file = JsonReader::read(format_json(learned()));
  const Json& placement = file["placement"];
  EXPECT_EQ(placement["asked_for"].text, "auto");
  EXPECT_EQ(placement["run_us"].number, 4'000'000);
  EXPECT_EQ(placement["trials"].number, 2);
  EXPECT_EQ(placement["lost_us"].number, 12'000);
  EXPECT_EQ(placement["no_journeys"].text, "the program refers to dlsym");
  EXPECT_EQ(placement["budget_left_us"].number, 208'000);
  EXPECT_EQ(placement["others"][0]["why"].text, "at home: they smoke");
  EXPECT_EQ(placement["others"][0]["visits"].number, 1);
  const Json& region = placement["regions"][0];
  EXPECT_EQ(region["file"].text, "src/flow.c");
  EXPECT_EQ(region["line"].number, 40);
  EXPECT_EQ(region["place"].text, "flow+0x1200");
  EXPECT_EQ(region["address"].number, 0x401200);
  EXPECT_EQ(region["home_visits"].number, 12);
  EXPECT_EQ(region["spread_visits"].number, 300);
  EXPECT_EQ(region["home_us"].number, 18'000);
  EXPECT_EQ(region["spread_us"].number, 10'000);
  EXPECT_EQ(region["total_us"].number, 3'216'000);
  EXPECT_EQ(region["spread"].number, 1);
  EXPECT_EQ(region["because"].text, "1.80 times as fast");
  EXPECT_EQ(placement["regions"][1]["home_us"].kind, Json::Kind::Null);
  EXPECT_EQ(placement["regions"][1]["spread_us"].kind, Json::Kind::Null);
}

TEST(ReportPlacement, IsReadBack) {
  Report report = learned(), read;
  report.placement.regions[1].source = ";;;0;0;;"; // what an unknown place is read as
  std::string problem;
  ASSERT_TRUE(parse_report(format_json(report), read, problem)) << problem;
  EXPECT_EQ(format_json(read), format_json(report));
  EXPECT_EQ(format_text(read), format_text(report));
  EXPECT_EQ(format_html(read), format_html(report));
}

TEST(ReportPlacement, ReportsOfOlderVersionsHaveNone) {
  Report read;
  std::string problem;
  ASSERT_TRUE(parse_report(R"({"version":1,"nodes":2,"regions":[]})", read, problem)) << problem;
  EXPECT_EQ(format_placement(read), "");
  EXPECT_EQ(html_of_placement(read), "");
}

TEST(ReportPlacement, WhatIsNotAPlacementIsRefused) {
  for (const char* placement :
       {"[]", "7", R"({"regions":{}})", R"({"regions":[7]})", R"({"trials":-1})", R"({"others":[{"visits":"x"}]})",
        R"({"regions":[{"spread":1}]})", R"({"regions":[{"because":[]}]})", R"({"asked_for":1})"}) {
    Report read;
    std::string problem;
    EXPECT_FALSE(
        parse_report(std::string(R"({"version":1,"regions":[],"placement":)") + placement + "}", read, problem))
        << placement;
    EXPECT_FALSE(problem.empty()) << placement;
  }
}

TEST(ReportPlacement, NothingInItIsObeyed) {
  constexpr const char* orders = "\x1b]0;title\a\nhetmp: forged<b>";
  Report report = learned();
  report.placement.asked_for = report.placement.others[0].why = orders;
  PlacedRegion& region = report.placement.regions[1];
  region.place = region.because = orders;
  const std::string text = format_text(report), page = format_html(report);
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
  EXPECT_EQ(text.find("\nhetmp: forged"), text.npos) << text;
  EXPECT_EQ(page.find('\x1b'), page.npos);
  EXPECT_EQ(page.find("<b>"), page.npos);
}

} // namespace
} // namespace hetmp::perf
