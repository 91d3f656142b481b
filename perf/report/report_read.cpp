// A report back from its JSON, for the tool.
#include "perf/read_file.hpp"
#include "perf/report/record_reader.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_fields.hpp"

namespace hetmp::perf {
namespace {

using nlohmann::json;

constexpr size_t deepest = 16;

} // namespace

bool parse_report(std::string_view text, Report& report, std::string& problem) {
  if (text.size() > largest_report) {
    problem = "is larger than 16 MiB";
    return false;
  }
  if (nests_deeper_than(text, deepest)) {
    problem = "is nested more deeply than a report";
    return false;
  }
  const json file = json::parse(text, nullptr, false);
  if (file.is_discarded() || !file.is_object() || !file.contains("version") || !file.contains("regions")) {
    problem = "is not a report in JSON";
    return false;
  }
  Problem wrong = nullptr;
  RecordReader reader(file, wrong);
  uint32_t version = 0;
  reader.field("version", version);
  if (!wrong && version != report_version) {
    problem = "is of version " + std::to_string(version) + ", and this program reads version " +
              std::to_string(report_version);
    return false;
  }
  report = {};
  fields(reader, report);
  problem = wrong ? std::string(wrong) + " is not what a report has there" : "";
  return problem.empty();
}

} // namespace hetmp::perf
