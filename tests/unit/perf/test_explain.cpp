// What a person is told to do: the main cases, sentence by sentence.
#include "perf/report/explain.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace hetmp::perf {
namespace {

PlacedRegion region(PlacedReason reason, const char* because) {
  PlacedRegion result;
  result.source = ";src/flow.c;solve;40;1;;";
  result.home_visits = 100;
  result.home_us = 18'000;
  result.total_us = 1'800'000;
  result.because = because;
  result.reason = reason;
  return result;
}

Report report_of(std::vector<PlacedRegion> regions) {
  Report report;
  report.nodes = 2;
  report.placement.asked_for = "auto";
  report.placement.run_us = 2'000'000;
  report.placement.regions = std::move(regions);
  return report;
}

/// The three sentences.
std::vector<std::string> sentences(const Report& report) {
  std::istringstream text(explain(report));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    EXPECT_EQ(line.rfind("hetmp: ", 0), 0u) << line;
    EXPECT_EQ(line.back(), '.') << line;
    lines.push_back(line.substr(7));
  }
  EXPECT_EQ(lines.size(), 3u) << explain(report);
  lines.resize(3);
  return lines;
}

void expect_has(const std::string& text, const char* part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

TEST(Explain, WhatGained) {
  PlacedRegion gaining = region(PlacedReason::Gains, "1.80 times as fast");
  gaining.spread = true;
  gaining.spread_us = 10'000;
  gaining.spread_visits = 100;
  const auto told = sentences(report_of({gaining}));
  EXPECT_EQ(told[0],
            "On several nodes ran region flow.c:40 solve (90 % of the run): a visit usually takes 10 ms there and "
            "18 ms on the origin.");
  EXPECT_EQ(told[1], "Nothing stands out that would have to be changed.");
  EXPECT_EQ(told[2],
            "All this is against the origin's CPUs alone: nothing was lost by trying, in a run of 2.00 s; where "
            "all CPUs share coherent memory, one node (without --nodes) has all of them and is the better choice.");
}

TEST(Explain, WhatTravelled) {
  PlacedRegion travelling = region(PlacedReason::NoBudget, "a trial could cost 3 s, the budget has 1 s");
  travelling.stays = 12;
  travelling.gained_us = 300'000;
  const auto told = sentences(report_of({travelling}));
  EXPECT_EQ(told[0],
            "Threads of region flow.c:40 solve (90 % of the run) went to other nodes 12 times and gained 300 ms.");
}

TEST(Explain, WhatStayedAndWhatHelps) {
  const struct {
    PlacedReason reason;
    const char* helps;
  } cases[] = {
      {PlacedReason::TooShort, "Put more work into one visit of flow.c:40 solve"},
      {PlacedReason::Synchronises, "nowait, static chunks in dynamic ones' place"},
      {PlacedReason::NoBudget, "HETMP_PLACEMENT=all shows beforehand"},
      {PlacedReason::TooLittle, "Put more of the program into regions"},
      {PlacedReason::Lost, "the same data on every visit (schedule(static)"},
      {PlacedReason::Changes, "HETMP_PLACEMENT=all, which runs every region there, shows it"},
      {PlacedReason::Unknown, "come again with the same work"},
  };
  for (const auto& each : cases) {
    const auto told = sentences(report_of({region(each.reason, "of that")}));
    EXPECT_EQ(told[0],
              "Nothing gained: region flow.c:40 solve (90 % of the run) stayed on the origin, because of that.");
    expect_has(told[1], each.helps);
  }
}

TEST(Explain, AGainAndWhatStaysBesides) {
  PlacedRegion gaining = region(PlacedReason::Gains, "faster together with what lies between regions");
  gaining.spread = true;
  PlacedRegion staying = region(PlacedReason::TooShort, "a visit takes 50 us");
  staying.source = ";src/flow.c;drain;80;1;;";
  staying.total_us = 200'000;
  auto told = sentences(report_of({gaining, staying}));
  expect_has(told[0],
             ": faster together with what lies between regions; region flow.c:80 drain (10 % of the run) stayed on "
             "the origin, because a visit takes 50 us");
  expect_has(told[1], "Put more work into one visit of flow.c:80 drain");
  staying.total_us = 20'000; // not worth a word
  told = sentences(report_of({gaining, staying}));
  EXPECT_EQ(told[0].find("drain"), std::string::npos);
}

TEST(Explain, PagesThatBounceComeFirst) {
  Report report = report_of({region(PlacedReason::Lost, "several nodes took 3 times as long")});
  BouncingPages pages;
  pages.holds = {"counters (64 bytes)"};
  pages.turns = 398;
  pages.waited_us = 420'000;
  pages.words = BouncingPages::Words::Different;
  report.bouncing = {pages};
  EXPECT_EQ(sentences(report)[1],
            "Give each thread's part of counters (64 bytes) pages of its own (alignas(4096), or room in "
            "between): nodes took these pages from each other 398 times and waited 420 ms.");
  report.bouncing[0].words = BouncingPages::Words::Same;
  expect_has(sentences(report)[1], "(a reduction) instead of writing the same words of counters");
  report.bouncing[0].waited_us = 100; // little against the run
  expect_has(sentences(report)[1], "schedule(static)");
}

TEST(Explain, WhatElseDecided) {
  const struct {
    OtherReason reason;
    const char* helps;
  } cases[] = {
      {OtherReason::ThreadVariables, "Replace threadprivate"},
      {OtherReason::FitsOrigin, "OMP_NUM_THREADS unset"},
      {OtherReason::AskedFor, "Leave HETMP_PLACEMENT"},
      {OtherReason::Other, "Nothing stands out"},
  };
  for (const auto& each : cases) {
    Report report = report_of({});
    report.placement.others = {{"on the moon", 1, OtherReason::Other}, {"at home, for a reason", 7, each.reason}};
    const auto told = sentences(report);
    EXPECT_EQ(told[0], "Nothing was tried: 7 visits of regions ran at home, for a reason.");
    expect_has(told[1], each.helps);
  }
  expect_has(sentences(report_of({}))[0], "no parallel region took a noticeable part");
}

TEST(Explain, WhyNoThreadWentOnElsewhere) {
  Report report = report_of({region(PlacedReason::TooShort, "it is")});
  report.placement.no_journeys = "libdate.so refers to localtime";
  expect_has(sentences(report)[0], "did not go on elsewhere, because libdate.so refers to localtime");
}

TEST(Explain, WordsThatWereForNoLoop) {
  Report report = report_of({region(PlacedReason::TooShort, "it is")});
  report.placement.unheeded = "nobody listened";
  expect_has(sentences(report)[1], "; nobody listened.");
}

TEST(Explain, WhatExperimentsHaveCost) {
  PlacedRegion lost = region(PlacedReason::Lost, "it did");
  lost.gained_us = -7'000;
  Report report = report_of({lost});
  report.placement.lost_us = 12'000;
  expect_has(sentences(report)[2], "what did not pay cost 12 ms in trials and 7.00 ms in journeys of a run of 2.00 s");
}

TEST(Explain, OneNodeNeedsNothing) {
  expect_has(sentences(Report{})[0], "ran on one node");
  expect_has(sentences(Report{})[1], "--nodes N");
}

TEST(Explain, NamesAreShownAndNotObeyed) {
  PlacedRegion red = region(PlacedReason::TooShort, "it is");
  red.source = ";\033[2J.c;f;1;1;;";
  EXPECT_EQ(explain(report_of({red})).find('\033'), std::string::npos);
}

} // namespace
} // namespace hetmp::perf
