// A report back from its JSON, for the tool.
#include "perf/json.hpp"
#include "perf/read_file.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_fields.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::perf {
namespace {

using nlohmann::json;

// More than programs write. A small file is not to become a large page.
constexpr size_t deepest = 16, most_elements = 1 << 16, longest_name = 1024;

/// The first member of the file that is of the wrong kind; null as long as there is none.
using Problem = const char*;

/// Reads the fields of one record. What is missing or null stays as it is.
class Reader {
 public:
  Reader(const json& object, Problem& problem) : object_(object), problem_(problem) {}

  template <class Value> void field(const char* name, Value& value) {
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null() && !take(*found, value) && !problem_)
      problem_ = name;
  }
  template <class Value> void nullable(const char* name, Value& value, bool) { field(name, value); }
  template <class Value> void derived(const char*, const Value&) {}
  void location(std::string& source) {
    SourceLocation where;
    field("file", where.file);
    field("function", where.function);
    field("line", where.line);
    field("column", where.column);
    source = ";" + where.file + ";" + where.function + ";" + std::to_string(where.line) + ";" +
             std::to_string(where.column) + ";;";
  }

 private:
  bool take(const json& from, double& value) {
    if (from.is_number())
      value = from.get<double>();
    return from.is_number();
  }
  bool take(const json& from, uint64_t& value) {
    if (from.is_number_unsigned())
      value = from.get<uint64_t>();
    return from.is_number_unsigned();
  }
  bool take(const json& from, uint32_t& value) {
    uint64_t wide = 0;
    if (!take(from, wide) || wide > UINT32_MAX)
      return false;
    value = uint32_t(wide);
    return true;
  }
  bool take(const json& from, bool& value) {
    if (from.is_boolean())
      value = from.get<bool>();
    return from.is_boolean();
  }
  bool take(const json& from, std::string& value) {
    if (from.is_string())
      value = shortened(from.get_ref<const std::string&>(), longest_name);
    return from.is_string();
  }
  bool take(const json& from, BouncingPages::Words& value) {
    std::string text;
    if (!take(from, text))
      return false;
    const auto* name = std::find(std::begin(words_names), std::end(words_names), text);
    value = name == std::end(words_names) ? BouncingPages::Words::Unknown : BouncingPages::Words(name - words_names);
    return true;
  }
  template <class Value> bool take(const json& from, std::vector<Value>& values) {
    if (!from.is_array() || from.size() > most_elements)
      return false;
    for (const json& element : from) {
      Value value{};
      if (!take(element, value))
        return false;
      values.push_back(std::move(value));
    }
    return true;
  }
  template <class Record> bool take(const json& from, Record& record) {
    if (!from.is_object())
      return false;
    Reader reader(from, problem_);
    fields(reader, record);
    return true;
  }

  const json& object_;
  Problem& problem_;
};

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
  Reader reader(file, wrong);
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
