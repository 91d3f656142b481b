// Records back from JSON: what fields(visitor, record) lists (report_fields.hpp). Not for headers: the library is
// large.
#pragma once

#include "perf/json.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/record_writer.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::perf {

/// The first member of the file that is of the wrong kind; null as long as there is none.
using Problem = const char*;

// More than programs write. A small file is not to become a large page.
inline constexpr size_t most_elements = 1 << 16, longest_name = 1024;

/// Reads the fields of one record. What is missing or null stays as it is.
class RecordReader {
 public:
  RecordReader(const nlohmann::json& object, Problem& problem) : object_(object), problem_(problem) {}

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
  bool take(const nlohmann::json& from, double& value) {
    if (from.is_number())
      value = from.get<double>();
    return from.is_number();
  }
  bool take(const nlohmann::json& from, uint64_t& value) {
    if (from.is_number_unsigned())
      value = from.get<uint64_t>();
    return from.is_number_unsigned();
  }
  bool take(const nlohmann::json& from, uint32_t& value) {
    uint64_t wide = 0;
    if (!take(from, wide) || wide > UINT32_MAX)
      return false;
    value = uint32_t(wide);
    return true;
  }
  bool take(const nlohmann::json& from, bool& value) {
    if (from.is_boolean())
      value = from.get<bool>();
    return from.is_boolean();
  }
  bool take(const nlohmann::json& from, std::string& value) {
    if (from.is_string())
      value = shortened(from.get_ref<const std::string&>(), longest_name);
    return from.is_string();
  }
  bool take(const nlohmann::json& from, BouncingPages::Words& value) {
    std::string text;
    if (!take(from, text))
      return false;
    const auto* name = std::find(std::begin(words_names), std::end(words_names), text);
    value = name == std::end(words_names) ? BouncingPages::Words::Unknown : BouncingPages::Words(name - words_names);
    return true;
  }
  template <class Value> bool take(const nlohmann::json& from, std::vector<Value>& values) {
    if (!from.is_array() || from.size() > most_elements)
      return false;
    for (const nlohmann::json& element : from) {
      Value value{};
      if (!take(element, value))
        return false;
      values.push_back(std::move(value));
    }
    return true;
  }
  template <class Record> bool take(const nlohmann::json& from, Record& record) {
    if (!from.is_object())
      return false;
    RecordReader reader(from, problem_);
    fields(reader, record);
    return true;
  }

  const nlohmann::json& object_;
  Problem& problem_;
};

} // namespace hetmp::perf
