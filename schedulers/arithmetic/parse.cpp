#include "schedulers/arithmetic/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest_chunk = 0x7fffffff;

constexpr std::string_view trapezoidal_name = "trapezoidal";

struct KindName {
  std::string_view name;
  ScheduleKind kind;
};
/// The first name of a kind is the one that is written.
constexpr KindName kind_names[] = {
    {"static", ScheduleKind::Static},           {"dynamic", ScheduleKind::Dynamic},
    {"guided", ScheduleKind::Guided},           {"auto", ScheduleKind::Auto},
    {"hetprobe", ScheduleKind::HetProbe},       {"hetprobe-i", ScheduleKind::HetProbeI},
    {"het_irregular", ScheduleKind::HetProbeI}, {"hetprobe_i", ScheduleKind::HetProbeI},
    {"static_steal", ScheduleKind::Dynamic},    {trapezoidal_name, ScheduleKind::Guided},
};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

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
template <class Number> std::optional<Number> whole_number(std::string_view text) {
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
      schedule.trapezoidal = name == trapezoidal_name;
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
    error = probes(schedule.kind) ? read_percent(argument, schedule) : read_chunk(argument, schedule);
  }
  if (!error.empty())
    return {std::nullopt, error};
  return {schedule, {}};
}

std::string format_schedule(const Schedule& schedule) {
  std::string text = schedule.monotonic ? "monotonic:" : "";
  const auto named = std::find_if(std::begin(kind_names), std::end(kind_names),
                                  [&](const KindName& candidate) { return candidate.kind == schedule.kind; });
  text += schedule.trapezoidal ? trapezoidal_name : named->name;
  if (probes(schedule.kind)) {
    char digits[32];
    char* end = std::to_chars(digits, digits + sizeof digits, schedule.probe_percent).ptr;
    text.append(1, ',').append(digits, end);
  } else if (schedule.chunk != 0) {
    text += "," + std::to_string(schedule.chunk);
  }
  return text;
}

ParsedSchedule parse_in_node_schedule(std::string_view text) {
  ParsedSchedule parsed = parse_schedule(text);
  if (!parsed.schedule)
    return parsed;
  const ScheduleKind kind = parsed.schedule->kind;
  if (text.find(':') != text.npos)
    return {std::nullopt, "a modifier has no meaning within a node"};
  if (kind == ScheduleKind::Static && parsed.schedule->chunk != 0)
    return {std::nullopt, "static takes no chunk within a node"};
  if (kind != ScheduleKind::Static && kind != ScheduleKind::Dynamic && kind != ScheduleKind::Guided)
    return {std::nullopt, "within a node a loop is static, dynamic or guided"};
  return parsed;
}

ParsedCoreSpeeds parse_core_speeds(std::string_view text) {
  CoreSpeeds speeds;
  bool any = false;
  for (;;) {
    const size_t separator = text.find_first_of(",:");
    const std::optional<double> speed = whole_number<double>(without_blanks_around(text.substr(0, separator)));
    if (!speed || !std::isfinite(*speed) || *speed < 0)
      return {std::nullopt, "a core speed ratio is not a number from 0 up"};
    if (speeds.of_node.size() == most_nodes)
      return {std::nullopt, "more than " + std::to_string(most_nodes) + " core speed ratios"};
    speeds.of_node.push_back(*speed);
    any = any || *speed > 0;
    if (separator == text.npos)
      break;
    text.remove_prefix(separator + 1);
  }
  if (!any)
    return {std::nullopt, "no core speed ratio is above 0"};
  return {speeds, {}};
}

} // namespace hetmp::schedulers
