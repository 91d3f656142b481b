// Records as JSON (RFC 8259), written without a library: what fields(visitor, record) lists, in that order
// (report_fields.hpp says how).
#pragma once

#include "perf/report/region_record.hpp"
#include "perf/report/report_json.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hetmp::perf {

/// How BouncingPages::Words is written, in the order of its values.
inline constexpr const char* words_names[] = {"unknown", "different", "same"};

/// The shortest text that reads back as the same number; JSON has no infinity: null.
inline std::string number(double value) {
  if (!std::isfinite(value))
    return "null";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

inline std::string number(uint64_t value) { return std::to_string(value); }
inline std::string number(uint32_t value) { return std::to_string(value); }

inline std::string number(bool value) { return value ? "true" : "false"; }

/// Writes the fields of one record as a JSON object.
class RecordWriter {
 public:
  /// `lines`: elements of arrays of records begin lines of their own.
  explicit RecordWriter(bool lines = false) : lines_(lines) {}

  template <class Value> void field(std::string_view name, const Value& value) { member(name, json_of(value)); }
  template <class Value> void nullable(std::string_view name, const Value& value, bool absent) {
    member(name, absent ? "null" : json_of(value));
  }
  template <class Value> void derived(std::string_view name, const Value& value) { field(name, value); }
  void location(const std::string& source) {
    const SourceLocation where = parse_source(source);
    field("file", where.file);
    field("function", where.function);
    field("line", where.line);
    field("column", where.column);
  }
  std::string finished() const { return text_ + '}'; }

 private:
  void member(std::string_view name, const std::string& value) {
    if (text_.size() > 1)
      text_ += ',';
    text_ += perf::quoted(name) + ":" + value;
  }

  static std::string json_of(const std::string& text) { return perf::quoted(text); }
  static std::string json_of(BouncingPages::Words words) { return perf::quoted(words_names[int(words)]); }
  template <class Value> static std::string json_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return number(value);
    } else {
      RecordWriter record;
      fields(record, value);
      return record.finished();
    }
  }
  template <class Value> std::string json_of(const std::vector<Value>& values) const {
    std::string text = "[";
    for (const Value& value : values) {
      if (text.size() > 1)
        text += ',';
      if (lines_)
        text += '\n';
      text += json_of(value);
    }
    return text + ']';
  }

  std::string text_ = "{";
  bool lines_;
};

} // namespace hetmp::perf
