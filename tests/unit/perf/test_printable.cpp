#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_html.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace hetmp::perf {
namespace {

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[2J\x07\r\n\t\x7f"), "\\x1b[2J\\x07\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m"); // CSI in one character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x80\xa8\xef\xbb\xbf"),
            "a\\u202eb\\u2028\\ufeff");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, KeepsWhateverIsText) {
  for (const char* text :
       {"", "plain", "\xc3\xa4\xc3\x9f", "\xe2\x82\xac", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80", "\xc2\xa0", "a\\b"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff\xc3|\xed\xa0\x80"), "a\\xff\\xc3|\\xed\\xa0\\x80");
}

TEST(Printable, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("12345", 5), "12345");
  EXPECT_EQ(shortened("123456", 5), "12...");
  EXPECT_EQ(shortened("1\xc3\xa4"
                      "56",
                      5),
            "1\xc3\xa4"
            "56");
  EXPECT_EQ(shortened("1\xc3\xa4"
                      "567",
                      5),
            "1...");
}

constexpr const char* everywhere =
    R"({"version":1,"nodes":2,"counters":"#","threshold_from":"#","interconnect":"#","tasks":{"offered":1,"kept_because":"#"},
  "regions":[{"file":"#","line":3,"function":"#","policy":"#","mode":"#","decision":"#","reason":"#","visits":1,"probed_visits":1,
              "nodes":[{"threads":1,"mean_us":1},{}],"total_us":1},{"place":"#"}],
  "totals":[{}],"bouncing":[{"holds":["#"],"regions":[{"region":"#","turns":1}],"turns":1,"writers":[{},{}]}],"pages":[]})";

std::string with_name(std::string text, std::string_view name) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + name.size()))
    text.replace(at, 1, name);
  return text;
}

TEST(Printable, NoNameOfAReportReachesTheTerminalAsItIs) {
  Report report;
  std::string problem;
  ASSERT_TRUE(parse_report(with_name(everywhere, "\\u001b]0;\\u0007\\n\\u009b\\u202e\\u007f\xc3\xa4"), report, problem))
      << problem;
  const std::string text = format_text(report), page = format_html(report);
  EXPECT_NE(text.find("\\x1b]0"), text.npos);
  EXPECT_NE(text.find("\xc3\xa4"), text.npos);
  for (const char* part : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\x7f"}) {
    EXPECT_EQ(text.find(part), text.npos) << part + 1;
    EXPECT_EQ(page.find(part), page.npos) << part + 1;
  }
  const Report plain = [&] {
    Report read;
    parse_report(with_name(everywhere, "x"), read, problem);
    return read;
  }();
  const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
  EXPECT_EQ(lines(text), lines(format_text(plain))); // a name makes no line of its own
}

TEST(Printable, LongNamesAreCutAndWidenNoOtherLine) {
  const std::string name(2'000'000, 'x');
  Report report;
  std::string problem;
  ASSERT_TRUE(
      parse_report(with_name(R"({"version":1,"regions":[{"place":"#"},{},{},{},{},{},{},{}]})", name), report, problem))
      << problem;
  EXPECT_LT(format_text(report).size(), 8000u);
  EXPECT_LT(format_html(report).size(), 20000u);
}

TEST(ReportRead, RefusesWhatIsTooLargeTooDeepOrTooMuch) {
  const auto problem_of = [](const std::string& text) {
    Report report;
    std::string problem;
    EXPECT_FALSE(parse_report(text, report, problem));
    return problem;
  };
  EXPECT_EQ(problem_of(std::string(largest_report + 1, ' ')), "is larger than 16 MiB");
  EXPECT_EQ(problem_of(std::string(largest_report, '[')), "is nested more deeply than a report");
  EXPECT_EQ(
      problem_of("{\"version\":1,\"x\\\"]\":" + std::string(100, '[') + std::string(100, ']') + ",\"regions\":[]}"),
      "is nested more deeply than a report");
  std::string many = R"({"version":1,"regions":[{})";
  for (int i = 0; i < 1 << 16; ++i)
    many += ",{}";
  EXPECT_EQ(problem_of(many + "]}"), "regions is not what a report has there");
}

TEST(ReportRead, BracketsInNamesAreNoDepth) {
  Report report;
  std::string problem;
  EXPECT_TRUE(
      parse_report(R"({"version":1,"counters":"\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[","regions":[]})", report, problem))
      << problem;
}

} // namespace
} // namespace hetmp::perf
