#include "schedulers/policies/schedule_text.hpp"

#include "schedulers/arithmetic/words.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <charconv>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest_chunk = 0x7fffffff;

using Parameter = PolicyDescriptor::Parameter;

std::string read_modifier(std::string_view name, Schedule& schedule) {
  if (name == "monotonic")
    schedule.monotonic = true;
  else if (name != "nonmonotonic")
    return "unknown modifier \"" + std::string(name) + "\"";
  return {};
}

std::string read_kind(std::string_view name, Schedule& schedule) {
  if (const PolicyDescriptor* policy = find_policy(name)) {
    schedule.kind = policy->kind;
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

std::string read_chunk(std::string_view text, uint64_t& chunk) {
  const std::optional<uint64_t> number = whole_number<uint64_t>(text);
  if (!number || *number < 1 || *number > largest_chunk)
    return "the chunk is not a whole number from 1 to 2147483647";
  chunk = *number;
  return {};
}

std::string read_parameter(std::string_view text, Schedule& schedule) {
  uint64_t ignored = 0;
  switch (policy_of(schedule.kind).parameter) {
  case Parameter::Percentage:
    return read_percent(text, schedule);
  case Parameter::IgnoredChunk:
    return read_chunk(text, ignored);
  case Parameter::Chunk:
    break;
  }
  return read_chunk(text, schedule.chunk);
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
  if (error.empty() && comma != rest.npos)
    error = read_parameter(without_blanks_around(rest.substr(comma + 1)), schedule);
  if (!error.empty())
    return {std::nullopt, error};
  return {schedule, {}};
}

std::string format_schedule(const Schedule& schedule) {
  std::string text = schedule.monotonic ? "monotonic:" : "";
  const PolicyDescriptor& policy = policy_of(schedule.kind);
  text += schedule.trapezoidal ? trapezoidal_name : policy.name;
  if (policy.parameter == Parameter::Percentage) {
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
  if (!policy_of(kind).in_node)
    return {std::nullopt, "within a node a loop is static, dynamic or guided"};
  return parsed;
}

} // namespace hetmp::schedulers
