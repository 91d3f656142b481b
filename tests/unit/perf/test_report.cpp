#include "json_reader.hpp"
#include "perf/report/report.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace hetmp::perf {
namespace {

RegionRecord probed_region() {
  RegionRecord region;
  region.source = ";src/ep.c;main;120;5;;";
  region.address = 0x401000;
  region.visits = 12;
  region.probed_visits = 3;
  region.most_probes = 10;
  region.trips = 4096;
  region.nodes = {{4, 812.0, 2, 2.99, 406.0}, {8, 2430.25, 0, 1.0}};
  region.fault_period_us = 5300;
  region.threshold_us = 100;
  region.decision = "all nodes";
  region.reason = "a fault every 5300 us, not below the threshold of 100 us";
  region.total_us = 123456;
  return region;
}

RegionRecord unknown_region() {
  RegionRecord region;
  region.source = ";unknown;unknown;0;0;;";
  region.address = 0xabcdef;
  region.visits = 1;
  region.most_probes = 10;
  region.trips = 3;
  return region;
}

/// With all that only some policies and machines have to say.
RegionRecord detailed_region() {
  RegionRecord region = probed_region();
  region.policy = "hetprobe";
  region.mode = "prediction";
  region.nodes[0].faults = 7;
  region.nodes[0].read_misses = 4;
  region.nodes[0].write_misses = 2;
  region.nodes[0].write_upgrades = 1;
  region.nodes[0].misses_per_kilo_instruction = 3.25;
  region.predicted_us_per_iteration = {12.5, 37.125, 9.75};
  region.exchanges = 21;
  region.audits = 2;
  return region;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

TEST(ReportText, HasAHeaderAndALineForEachRegion) {
  const std::vector<std::string> lines = lines_of(format_text({2, {probed_region(), unknown_region()}}));
  ASSERT_EQ(lines.size(), 3u);
  for (const std::string& line : lines)
    EXPECT_TRUE(line.starts_with("hetmp: ")) << line;
  expect_contains(lines[0], {"2 nodes", "2 regions"});
  expect_contains(lines[1], {"ep.c:120 main", "trips 4096", "visits 12", "probed 3/10", "threads 4+8",
                             "node us 812/2430", "faults 2/0", "CSR 2.99:1.00", "fault period 5300 us (threshold 100)",
                             "total 123 ms", "-> all nodes: a fault every 5300 us"});
  expect_contains(lines[2], {"0xabcdef", "trips 3", "probed 0/10", "not measured", "-> no decision"});
}

TEST(ReportText, TellsPolicyFaultsByKindCacheMissesAndPredictions) {
  const std::vector<std::string> lines = lines_of(format_text({2, {detailed_region()}}));
  ASSERT_EQ(lines.size(), 2u);
  expect_contains(lines[1], {"ep.c:120 main  hetprobe by prediction  trips 4096", "probed 3/10, again 2",
                             "exchanges 21", "faults 7/0 (read 4/0 write 2/0 upgrade 1/0)", "misses/1000 3.25/?",
                             "predicted us/iteration 12/37 chosen 9.75"});
}

TEST(ReportText, SaysNothingOfWhatNobodyMeasured) {
  const std::string text = format_text({2, {probed_region()}});
  for (const char* part : {" by ", "again", "exchanges", "(read", "misses", "predicted", "counters"})
    EXPECT_EQ(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(ReportText, HasALineAboutCounters) {
  const std::vector<std::string> lines =
      lines_of(format_text({2, {probed_region()}, "this machine has no hardware counters"}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "hetmp: counters: this machine has no hardware counters");
}

TEST(ReportText, AlignsItsColumns) {
  const std::vector<std::string> lines = lines_of(format_text({2, {probed_region(), unknown_region()}}));
  for (const char* column : {"  trips ", "  visits ", "  probed ", "  -> "})
    EXPECT_EQ(lines[1].find(column), lines[2].find(column)) << column;
}

TEST(ReportText, SaysWhenThereWasNothingToReport) {
  EXPECT_EQ(format_text({1, {}}), "hetmp: report: 1 node, 0 regions\n");
}

TEST(ReportText, SaysNoFaultsInsteadOfInfinity) {
  RegionRecord region = probed_region();
  region.fault_period_us = std::numeric_limits<double>::infinity();
  const std::string text = format_text({2, {region}});
  expect_contains(text, {"no faults"});
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
}

TEST(ReportJson, IsReadBack) {
  const Json report = JsonReader::read(format_json({2, {probed_region(), unknown_region()}}));
  EXPECT_EQ(report["version"].number, 1);
  EXPECT_EQ(report["nodes"].number, 2);
  ASSERT_EQ(report["regions"].elements.size(), 2u);
  const Json& region = report["regions"][0];
  EXPECT_EQ(region["file"].text, "src/ep.c");
  EXPECT_EQ(region["function"].text, "main");
  EXPECT_EQ(region["line"].number, 120);
  EXPECT_EQ(region["column"].number, 5);
  EXPECT_EQ(region["address"].number, 0x401000);
  EXPECT_EQ(region["visits"].number, 12);
  EXPECT_EQ(region["probed_visits"].number, 3);
  EXPECT_EQ(region["most_probes"].number, 10);
  EXPECT_EQ(region["trips"].number, 4096);
  EXPECT_EQ(region["fault_period_us"].number, 5300);
  EXPECT_EQ(region["threshold_us"].number, 100);
  EXPECT_EQ(region["decision"].text, "all nodes");
  EXPECT_EQ(region["reason"].text, probed_region().reason);
  EXPECT_EQ(region["total_us"].number, 123456);
  ASSERT_EQ(region["nodes"].elements.size(), 2u);
  EXPECT_EQ(region["nodes"][0]["threads"].number, 4);
  EXPECT_EQ(region["nodes"][0]["faults"].number, 2);
  EXPECT_EQ(region["nodes"][0]["speed"].number, 2.99);
  EXPECT_EQ(region["nodes"][0]["fault_period_us"].number, 406);
  EXPECT_EQ(region["nodes"][1]["mean_us"].number, 2430.25);
  EXPECT_EQ(region["nodes"][1]["fault_period_us"].kind, Json::Kind::Null);
  EXPECT_EQ(report["regions"][1]["file"].text, "");
  EXPECT_TRUE(report["regions"][1]["nodes"].elements.empty());
}

TEST(ReportJson, TellsPolicyFaultsByKindCacheMissesAndPredictions) {
  const Json report =
      JsonReader::read(format_json({2, {detailed_region(), probed_region()}, "PAPI_TOT_INS, PAPI_L3_TCM"}));
  EXPECT_EQ(report["counters"].text, "PAPI_TOT_INS, PAPI_L3_TCM");
  const Json& region = report["regions"][0];
  EXPECT_EQ(region["policy"].text, "hetprobe");
  EXPECT_EQ(region["mode"].text, "prediction");
  EXPECT_EQ(region["exchanges"].number, 21);
  EXPECT_EQ(region["audits"].number, 2);
  ASSERT_EQ(region["predicted_us_per_iteration"].elements.size(), 3u);
  EXPECT_EQ(region["predicted_us_per_iteration"][1].number, 37.125);
  EXPECT_EQ(region["nodes"][0]["faults"].number, 7);
  EXPECT_EQ(region["nodes"][0]["read_misses"].number, 4);
  EXPECT_EQ(region["nodes"][0]["write_misses"].number, 2);
  EXPECT_EQ(region["nodes"][0]["write_upgrades"].number, 1);
  EXPECT_EQ(region["nodes"][0]["misses_per_kilo_instruction"].number, 3.25);
  EXPECT_EQ(region["nodes"][1]["misses_per_kilo_instruction"].kind, Json::Kind::Null);
  EXPECT_EQ(report["regions"][1]["policy"].text, "");
  EXPECT_TRUE(report["regions"][1]["predicted_us_per_iteration"].elements.empty());
}

TEST(ReportJson, OfNothingIsStillAReport) {
  const Json report = JsonReader::read(format_json({1, {}}));
  EXPECT_EQ(report["regions"].kind, Json::Kind::Array);
  EXPECT_TRUE(report["regions"].elements.empty());
}

TEST(ReportJson, EscapesWhatJsonCannotHold) {
  RegionRecord region = unknown_region();
  region.source = ";C:\\dir\\\"quoted\"\t.c;f;1;1;;";
  region.decision = std::string("\x01\x1f\n\0 end", 8);
  region.reason = "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80";
  const Json report = JsonReader::read(format_json({1, {region}}));
  EXPECT_EQ(report["regions"][0]["file"].text, "C:\\dir\\\"quoted\"\t.c");
  EXPECT_EQ(report["regions"][0]["decision"].text, region.decision);
  EXPECT_EQ(report["regions"][0]["reason"].text, region.reason);
}

TEST(ReportJson, ReplacesBytesThatAreNotUtf8) {
  const std::string replaced = "\xef\xbf\xbd";
  const std::pair<std::string, std::string> table[] = {
      {"a\xff z", "a" + replaced + " z"},
      {"\xc3", replaced},                                              // cut off
      {"\xc0\xaf", replaced + replaced},                               // overlong
      {"\xed\xa0\x80", replaced + replaced + replaced},                // a surrogate
      {"\xf5\x80\x80\x80", replaced + replaced + replaced + replaced}, // above U+10FFFF
  };
  for (const auto& row : table) {
    RegionRecord region = unknown_region();
    region.reason = row.first;
    EXPECT_EQ(JsonReader::read(format_json({1, {region}}))["regions"][0]["reason"].text, row.second);
  }
}

TEST(ReportJson, KeepsEveryDigit) {
  RegionRecord region = unknown_region();
  region.total_us = 0.1 + 0.2;
  region.threshold_us = 1e300;
  region.fault_period_us = std::nan("");
  region.trips = (uint64_t(1) << 53) - 1;
  const Json report = JsonReader::read(format_json({1, {region}}));
  EXPECT_EQ(report["regions"][0]["total_us"].number, 0.1 + 0.2);
  EXPECT_EQ(report["regions"][0]["threshold_us"].number, 1e300);
  EXPECT_EQ(report["regions"][0]["fault_period_us"].kind, Json::Kind::Null);
  EXPECT_EQ(report["regions"][0]["trips"].number, 9007199254740991.0);
}

class WriteReport : public testing::Test {
 protected:
  void SetUp() override {
    const char* parent = std::getenv("TMPDIR");
    std::string name = std::string(parent && *parent ? parent : "/tmp") + "/hetmp-report-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    for (const std::string& file : files_)
      unlink(file.c_str());
    rmdir(folder_.c_str());
  }
  std::string file(const std::string& name) {
    files_.push_back(folder_ + "/" + name);
    return files_.back();
  }
  static std::string contents(const std::string& name) {
    std::ifstream stream(name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  const Report report_{2, {probed_region()}};

 private:
  std::string folder_;
  std::vector<std::string> files_;
};

TEST_F(WriteReport, WritesTextToStandardErrorFor1) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(write_report(report_, "1"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), format_text(report_));
}

TEST_F(WriteReport, ChoosesTheFormByTheFileName) {
  const std::string text = file("report.txt");
  const std::string json = file("report.json");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(write_report(report_, text));
  EXPECT_TRUE(write_report(report_, json));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(contents(text), format_text(report_));
  EXPECT_EQ(contents(json), format_json(report_));
}

TEST_F(WriteReport, ReplacesAnOlderReport) {
  const std::string name = file("report.txt");
  std::ofstream(name) << std::string(100000, 'x');
  EXPECT_TRUE(write_report(report_, name));
  EXPECT_EQ(contents(name), format_text(report_));
}

TEST_F(WriteReport, ComplainsInOneLine) {
  const std::pair<std::string, std::string> table[] = {
      {file("report.txt") + "/deeper/report.json", "No such file"},
      {"/dev/full", "No space left"},
      {"", "No such file"},
  };
  for (const auto& row : table) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(write_report(report_, row.first));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(lines_of(said).size(), 1u) << said;
    expect_contains(said, {"hetmp: HETMP_REPORT=" + row.first, row.second});
  }
}

} // namespace
} // namespace hetmp::perf
