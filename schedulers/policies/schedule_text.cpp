#include "schedulers/policies/schedule_text.hpp"

#include "schedulers/arithmetic/words.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

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

} // namespace hetmp::schedulers
