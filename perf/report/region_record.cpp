#include "perf/report/region_record.hpp"

#include <charconv>

namespace hetmp::perf {
namespace {

/// Cuts the field after the last ';' off `text`; false if there is none.
bool cut_last_field(std::string_view& text, std::string_view& field) {
  const size_t separator = text.rfind(';');
  if (separator == text.npos)
    return false;
  field = text.substr(separator + 1);
  text = text.substr(0, separator);
  return true;
}

bool read_number(std::string_view text, uint32_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && stop == end;
}

std::string known(std::string_view name) { return name == "unknown" ? std::string() : std::string(name); }

} // namespace

SourceLocation parse_source(std::string_view text) {
  // From the right: only the file name, the leftmost field, may itself contain semicolons.
  if (!text.starts_with(';'))
    return {};
  text.remove_prefix(1);
  if (!text.ends_with(";;"))
    return {};
  text.remove_suffix(2);
  SourceLocation location;
  std::string_view column, line, function;
  if (!cut_last_field(text, column) || !cut_last_field(text, line) || !cut_last_field(text, function) ||
      !read_number(column, location.column) || !read_number(line, location.line))
    return {};
  location.file = known(text);
  location.function = known(function);
  return location;
}

} // namespace hetmp::perf
