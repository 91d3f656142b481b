#include "schedulers/parse.hpp"

#include <charconv>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest_chunk = 0x7fffffff;

struct KindName {
  std::string_view name;
  ScheduleKind kind;
};
constexpr KindName kind_names[] = {
    {"static", ScheduleKind::Static}, {"dynamic", ScheduleKind::Dynamic},   {"guided", ScheduleKind::Guided},
    {"auto", ScheduleKind::Auto},     {"hetprobe", ScheduleKind::HetProbe},
};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view without_blanks_around(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The whole of `text` as a number; from_chars does not depend on the program's locale.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (text.empty() || problem != std::errc{} || stop != end)
    return std::nullopt;
  return value;
}

std::string read_modifier(std::string_view name, Schedule& schedule) {
  if (name == "monotonic")
    schedule.monotonic = true;
  else if (name != "nonmonotonic")
    return "unknown modifier \"" + std::string(name) + "\"";
  return {};
}

std::string read_kind(std::string_view name, Schedule& schedule) {
  for (const KindName& candidate : kind_names)
    if (candidate.name == name) {
      schedule.kind = candidate.kind;
      return {};
    }
  return name.empty() ? "no schedule kind" : "unknown schedule kind \"" + std::string(name) + "\"";
}

std::string read_percent(std::string_view text, Schedule& schedule) {
  const std::optional<double> percent = whole_number<double>(text);
  if (!percent || !(*percent > 0 && *percent <= 100))
    return "the probe percentage is not a number above 0, up to 100";
  schedule.probe_percent = *percent;
  return {};
}

std::string read_chunk(std::string_view text, Schedule& schedule) {
  const std::optional<uint64_t> chunk = whole_number<uint64_t>(text);
  if (!chunk || *chunk < 1 || *chunk > largest_chunk)
    return "the chunk is not a whole number from 1 to 2147483647";
  if (schedule.kind != ScheduleKind::Auto)
    schedule.chunk = *chunk;
  return {};
}

} // namespace

ParsedSchedule parse_schedule(std::string_view text) {
  const std::string lowered = in_lower_case(text);
  std::string_view rest = lowered;
  Schedule schedule;
  std::string error;
  if (const size_t colon = rest.find(':'); colon != rest.npos) {
    error = read_modifier(without_blanks_around(rest.substr(0, colon)), schedule);
    rest.remove_prefix(colon + 1);
  }
  const size_t comma = rest.find(',');
  if (error.empty())
    error = read_kind(without_blanks_around(rest.substr(0, comma)), schedule);
  if (error.empty() && comma != rest.npos) {
    const std::string_view argument = without_blanks_around(rest.substr(comma + 1));
    error = schedule.kind == ScheduleKind::HetProbe ? read_percent(argument, schedule)
                                                    : read_chunk(argument, schedule);
  }
  if (!error.empty())
    return {std::nullopt, error};
  return {schedule, {}};
}

std::string format_schedule(const Schedule& schedule) {
  std::string text = schedule.monotonic ? "monotonic:" : "";
  for (const KindName& candidate : kind_names)
    if (candidate.kind == schedule.kind)
      text += candidate.name;
  if (schedule.kind == ScheduleKind::HetProbe) {
    char digits[32];
    char* end = std::to_chars(digits, digits + sizeof digits, schedule.probe_percent).ptr;
    text.append(1, ',').append(digits, end);
  } else if (schedule.chunk != 0) {
    text += "," + std::to_string(schedule.chunk);
  }
  return text;
}

} // namespace hetmp::schedulers
