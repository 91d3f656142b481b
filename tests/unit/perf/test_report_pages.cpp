#include "json_reader.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_html.hpp"
#include "perf/report/report_text.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace hetmp::perf {
namespace {

BouncingPages counters() {
  BouncingPages pages;
  pages.address = 0x404000;
  pages.holds = {"counters (64 bytes)"};
  pages.writers = {{0, 200, 210, 20'000, 0, 7}, {1, 198, 205, 21'500, 8, 15}};
  pages.regions = {{"count.c:12 main", 396}, {"", 2}};
  pages.turns = 398;
  pages.waited_us = 41'500;
  pages.words = BouncingPages::Words::Different;
  return pages;
}

Report full() {
  Report report;
  report.nodes = 2;
  report.elapsed_us = 250'000;
  report.counters = "none";
  RegionRecord region;
  region.source = ";src/count.c;main;12;3;;";
  region.address = 0x401000;
  region.visits = 7;
  region.probed_visits = 3;
  region.most_probes = 10;
  region.trips = 100;
  region.nodes = {{4, 812.5, 2, 2.99, 406.0}, {8, 2430.25, 0, 1.0}};
  region.nodes[1].read_misses = 5;
  region.fault_period_us = 5300;
  region.threshold_us = 100;
  region.decision = "all nodes";
  region.reason = "it pays";
  region.total_us = 1234.5;
  region.policy = "hetprobe";
  region.mode = "prediction";
  region.predicted_us_per_iteration = {1, 2, 0.5};
  region.exchanges = 4;
  region.audits = 1;
  region.place = "count+0x12";
  report.regions = {region};
  report.tasks = {20, 12, 3400, ""};
  report.totals = {{1, 2, 3, 4, 4096, 6, 5.5, true}, {0, 0, 0, 0, 0, 0, 0, false}};
  report.pages = {{0x404000, 1, 400, 14, 398, 41'500}, {0x405000, 1, 0, 0, 0, 60}};
  report.bouncing = {counters()};
  return report;
}

std::string shown_without_lines(std::vector<HotPage> pages) {
  Report report = full();
  report.bouncing.clear();
  report.pages = std::move(pages);
  return format_html(report);
}

TEST(ReportPages, WordsAndPictureAgreeOnWhatBounces) {
  const auto says = [](const std::string& html, const char* text) { return html.find(text) != html.npos; };
  const std::string none = shown_without_lines({{0x404000, 1, 2, 3, 0, 60}});
  EXPECT_TRUE(says(none, "<p>No page bounces between nodes that write it.</p>"));
  EXPECT_FALSE(says(none, "stroke=\"#222\""));
  const std::string some =
      shown_without_lines({{0x404000, 1, 2, 3, 31, 60}, {0x405000, 1, 0, 0, 0, 60}, {0x406000, 1, 2, 0, 4, 60}});
  EXPECT_TRUE(says(some, "stroke=\"#222\""));
  EXPECT_FALSE(says(some, "No page bounces between nodes that write it"));
  EXPECT_TRUE(says(
      some,
      "No page bounces so much that it is worth a line: 2 pages were written by nodes in turns, with at most 31 turns "
      "a page and little time lost."));
  const std::string one = shown_without_lines({{0x404000, 1, 2, 3, 1, 60}});
  EXPECT_TRUE(says(one, "1 page was written by nodes in turns, with at most 1 turn a page"));
}

TEST(ReportPages, TextNamesWhatBouncesWhereAndAtWhatCost) {
  const std::string text = format_pages(full());
  EXPECT_EQ(text, "hetmp: faults of node 0: read 1, write 2, upgrade 3; waited 0.01 ms, received 0.00 MiB, "
                  "lost 4 copies\n"
                  "hetmp: faults of node 1: not told in time\n"
                  "hetmp: bouncing: counters (64 bytes): written in turns by node 0 (bytes 0-7), node 1 "
                  "(bytes 8-15), 398 turns, "
                  "415 faults, 42 ms waited; false sharing: no word was seen written by two nodes; in "
                  "count.c:12 main (396), no "
                  "parallel region (2); page 0x404000\n");
}

TEST(ReportPages, TextSaysWhatIsNotKnown) {
  Report report;
  report.bouncing = {counters()};
  report.bouncing[0].holds.clear();
  report.bouncing[0].pages = 3;
  report.bouncing[0].words = BouncingPages::Words::Unknown;
  report.bouncing[0].writers[0].first = 1;
  report.bouncing[0].writers[0].last = 0;
  const std::string text = format_pages(report);
  for (const char* part :
       {"memory without a name", "which words is not known", "node 0, node 1 (bytes", "3 pages from 0x404000"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(ReportPages, TextIsSilentWithoutPages) { EXPECT_EQ(format_pages(Report{}), ""); }

TEST(ReportPages, TextSaysWhatBecameOfTasks) {
  Report report;
  EXPECT_EQ(tasks_in_words(report.tasks), "");
  report.tasks = {20, 12, 3400, ""};
  EXPECT_NE(format_text(report).find("\nhetmp: tasks: offered to other nodes 20, executed there 12, in 3.40 ms\n"),
            std::string::npos);
  report.tasks.kept_because = "they smoke";
  EXPECT_EQ(tasks_in_words(report.tasks),
            "offered to other nodes 20, executed there 12, in 3.40 ms; each stays on its node: they smoke");
  report.tasks.offered = 0;
  EXPECT_EQ(tasks_in_words(report.tasks), "each stays on its node: they smoke");
}

TEST(ReportPages, ALongListIsCut) {
  Report report;
  report.bouncing.assign(40, counters());
  const std::string text = format_pages(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  EXPECT_NE(text.find("and 24 more"), std::string::npos);
}

TEST(ReportPages, JsonHasThemAll) {
  const Json file = JsonReader::read(format_json(full()));
  EXPECT_EQ(file["elapsed_us"].number, 250'000);
  EXPECT_EQ(file["tasks"]["offered"].number, 20);
  EXPECT_EQ(file["tasks"]["executed_elsewhere"].number, 12);
  EXPECT_EQ(file["totals"].elements.size(), 2u);
  EXPECT_EQ(file["totals"][0]["messages"].number, 6);
  EXPECT_EQ(file["totals"][0]["known"].number, 1);
  EXPECT_EQ(file["totals"][1]["known"].number, 0);
  EXPECT_EQ(file["pages"][0]["write_misses"].number, 400);
  EXPECT_EQ(file["bouncing"][0]["holds"][0].text, "counters (64 bytes)");
  EXPECT_EQ(file["bouncing"][0]["writers"][1]["first"].number, 8);
  EXPECT_EQ(file["bouncing"][0]["words"].text, "different");
  EXPECT_EQ(file["bouncing"][0]["faults"].number, 415);
}

TEST(ReportRead, GivesBackWhatWasWritten) {
  Report report = full(), read;
  RegionRecord unknown; // infinite fault period, no source, nothing counted
  unknown.source = ";;;0;0;;";
  unknown.address = 0xabcdef;
  report.regions.push_back(unknown);
  report.bouncing[0].writers[0].first = 1;
  report.bouncing[0].writers[0].last = 0;
  report.bouncing.push_back(counters());
  report.bouncing[1].words = BouncingPages::Words::Same;
  report.tasks.kept_because = "of \"events\"";
  std::string problem;
  ASSERT_TRUE(parse_report(format_json(report), read, problem)) << problem;
  EXPECT_EQ(format_json(read), format_json(report));
  EXPECT_EQ(format_text(read).find("src/count.c"), format_text(report).find("src/count.c"));
  EXPECT_EQ(format_html(read), format_html(report));
}

TEST(ReportRead, SkipsMembersItDoesNotKnow) {
  Report read;
  std::string problem;
  EXPECT_TRUE(parse_report(R"({"version":1,"nodes":3,"regions":[{"visits":2,"new":{}}],"newer":[1]})", read, problem));
  EXPECT_EQ(read.nodes, 3u);
  EXPECT_EQ(read.regions.at(0).visits, 2u);
}

TEST(ReportRead, RefusesWhatIsNoReport) {
  for (const char* text : {"", "{", "[]", "{}", "7", R"({"version":2,"regions":[]})", R"({"version":1,"regions":{}})",
                           R"({"version":1,"regions":[{"nodes":[{"threads":-1}]}]})",
                           R"({"version":1,"regions":[],"pages":[{"address":"x"}]})",
                           R"({"version":1,"regions":[],"nodes":5000000000})"}) {
    Report read;
    std::string problem;
    EXPECT_FALSE(parse_report(text, read, problem)) << text;
    EXPECT_FALSE(problem.empty()) << text;
  }
}

TEST(ReportHtml, EscapesWhateverNamesHold) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&#60;b&#62;&#38;&#34;&#39;");
  EXPECT_EQ(escaped("\x01|\xff|\xef\xbf\xbe|\xc3\xa4"), "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xc3\xa4");
  Report report = full();
  report.bouncing[0].holds = {"std::map<int, \"x\">"};
  report.regions[0].reason = "</td>";
  const std::string page = format_html(report);
  EXPECT_EQ(page.find("std::map<int"), std::string::npos);
  EXPECT_NE(page.find("std::map&#60;int, &#34;x&#34;&#62;"), std::string::npos);
  EXPECT_NE(page.find("&#60;/td&#62;"), std::string::npos);
}

TEST(ReportHtml, ShowsOnlyWhatThereIs) {
  const std::string empty = format_html(Report{});
  for (const char* section : {"Pages that bounce", "Heat of pages", "Faults by kind", "Time by node"})
    EXPECT_EQ(empty.find(section), std::string::npos) << section;
  const std::string page = format_html(full());
  for (const char* section :
       {"Pages that bounce", "Heat of pages", "Faults by kind", "Time by node", "Loops and decisions"})
    EXPECT_NE(page.find(section), std::string::npos) << section;
}

TEST(ReportHtml, NumbersOfAnySizeMakeAPicture) {
  Report report = full();
  report.regions[0].total_us = 1e308;
  report.regions[0].nodes[0].mean_us = std::numeric_limits<double>::infinity();
  const std::string page = format_html(report);
  EXPECT_EQ(page.find("width=\"inf"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

} // namespace
} // namespace hetmp::perf
