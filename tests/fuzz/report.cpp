// A libFuzzer target: saved reports. It is a fault, besides what the sanitizers find, when a report that was read does
// not survive being written and read again, when text or page hold what a terminal or a browser would obey, and when a
// name makes a line of its own.
#include "perf/report/report.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report_utf8.hpp"
#include "tests/fuzz/check.hpp"

#include <string>

using namespace hetmp;
using fuzz::check;

namespace {

void check_characters(std::string_view text) {
  while (!text.empty()) {
    const size_t length = perf::utf8_length(text);
    check(length != 0, "bytes that are no UTF-8");
    check(!perf::is_control(text.substr(0, length)) || text[0] == '\n' || text[0] == '\t', "a control character");
    text.remove_prefix(length);
  }
}

void check_lines(std::string_view text) {
  check(text.ends_with('\n'), "a line without an end");
  while (!text.empty()) {
    check(text.starts_with("hetmp: "), "a line that is not hetmp's");
    text.remove_prefix(text.find('\n') + 1);
  }
}

void check_page(std::string_view page) {
  for (const char* element :
       {"<script", "<img", "<iframe", "<object", "<embed", "<link", "<b>"}) // the last one is in a seed's name
    check(page.find(element) == page.npos, "a name that is markup");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  perf::Report report, again;
  std::string problem;
  if (!perf::parse_report(fuzz::text_of(data, size), report, problem)) {
    check(!problem.empty(), "refused without a reason");
    check_characters(problem);
    return 0;
  }
  const std::string json = perf::format_json(report), text = perf::format_text(report),
                    page = perf::format_html(report);
  // Once more: -0 is read as 0.
  const auto written_again = [&](const std::string& from) {
    check(perf::parse_report(from, again, problem), "what was written cannot be read");
    return perf::format_json(again);
  };
  const std::string second = written_again(json);
  check(written_again(second) == second, "what was read is not what is written");
  check_characters(text);
  check_lines(text);
  check_characters(page);
  check_page(page);
  return 0;
}
