// The report for programs: JSON.
#include "perf/report/report_json.hpp"

#include "perf/report/record_writer.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_fields.hpp"
#include "perf/report/report_utf8.hpp"

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

std::string format_json(const Report& report) {
  RecordWriter object(true);
  object.field("version", report_version);
  fields(object, report);
  return object.finished() + "\n";
}

} // namespace hetmp::perf
