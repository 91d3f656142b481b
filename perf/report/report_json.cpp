// The report for programs: JSON (RFC 8259), written without a library.
#include "perf/report/report_json.hpp"

#include "perf/report/report.hpp"
#include "perf/report/report_fields.hpp"
#include "perf/report/report_utf8.hpp"

#include <charconv>
#include <cmath>

namespace hetmp::perf {

std::string quoted(std::string_view text) {
  static constexpr char hexadecimal[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0)
      result += "\xef\xbf\xbd"; // U+FFFD
    else if (first < 0x20)
      result += {'\\', 'u', '0', '0', hexadecimal[first >> 4], hexadecimal[first & 15]};
    else if (first == '"' || first == '\\')
      result += {'\\', text[0]};
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + "\"";
}

namespace {

/// The shortest text that reads back as the same number; JSON has no infinity: null.
std::string number(double value) {
  if (!std::isfinite(value))
    return "null";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string number(uint64_t value) { return std::to_string(value); }
std::string number(uint32_t value) { return std::to_string(value); }

std::string number(bool value) { return value ? "true" : "false"; }

/// Writes the fields of one record as a JSON object.
class Writer {
 public:
  /// `lines`: elements of arrays of records begin lines of their own.
  explicit Writer(bool lines = false) : lines_(lines) {}

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
    text_ += quoted(name) + ":" + value;
  }

  static std::string json_of(const std::string& text) { return quoted(text); }
  static std::string json_of(BouncingPages::Words words) { return quoted(words_names[int(words)]); }
  template <class Value> static std::string json_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return number(value);
    } else {
      Writer record;
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

} // namespace

std::string format_json(const Report& report) {
  Writer object(true);
  object.field("version", report_version);
  fields(object, report);
  return object.finished() + "\n";
}

} // namespace hetmp::perf
