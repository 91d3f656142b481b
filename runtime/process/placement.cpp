#include "runtime/process/placement.hpp"

#include "base/environment.hpp"
#include "base/variables/variable.hpp"
#include "runtime/process/nodes.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <optional>
#include <string_view>

namespace hetmp::runtime {
namespace {

constexpr int64_t most_probes = 1'000'000;

schedulers::CoreSpeeds read_core_speeds() {
  constexpr Variable name = Variable::HETMP_CSR;
  const auto text = environment_value(name);
  if (!text)
    return {};
  const auto parsed = schedulers::parse_core_speeds(*text);
  if (!parsed.speeds)
    complain(name, *text, parsed.error, "equal speeds");
  return parsed.speeds.value_or(schedulers::CoreSpeeds{});
}

schedulers::DecisionMode read_decision_mode() {
  constexpr Variable name = Variable::HETMP_DECISION;
  const auto text = environment_value(name);
  if (text && equal_ignoring_case(*text, "predict"))
    return schedulers::DecisionMode::Predict;
  if (text && !equal_ignoring_case(*text, "threshold"))
    complain(name, *text, "neither threshold nor predict", "threshold");
  return schedulers::DecisionMode::Threshold;
}

bool read_static_loops() {
  constexpr Variable name = Variable::HETMP_LOOPS;
  const auto text = environment_value(name);
  if (text && equal_ignoring_case(*text, "all"))
    return true;
  if (text && !equal_ignoring_case(*text, "runtime"))
    complain(name, *text, "neither runtime nor all", "runtime");
  return false;
}

/// What follows `kind` in the text.
std::optional<uint64_t> read_seed(std::string_view text, std::string_view kind) {
  if (text.size() <= kind.size() || !equal_ignoring_case(text.substr(0, kind.size()), kind))
    return {};
  return parse_integer(text.substr(kind.size()), 0, INT64_MAX);
}

/// Where nodes share memory nothing has to move: all regions use all nodes, unless the user wants something else.
RegionChoice read_region_choice() {
  constexpr Variable name = Variable::HETMP_PLACEMENT;
  using Kind = RegionChoice::Kind;
  const RegionChoice usual{several_processes() ? Kind::Auto : Kind::All};
  const auto text = environment_value(name);
  if (!text || equal_ignoring_case(*text, "auto"))
    return usual;
  if (equal_ignoring_case(*text, "origin"))
    return {Kind::Origin};
  if (equal_ignoring_case(*text, "all"))
    return {Kind::All};
  if (equal_ignoring_case(*text, "lent"))
    return {Kind::Lent};
  if (const auto seed = read_seed(*text, "random:"))
    return {Kind::Random, *seed};
  if (const auto seed = read_seed(*text, "journeys:"))
    return {Kind::Journeys, *seed};
  complain(name, *text, "neither auto, origin, all, lent, random:SEED nor journeys:SEED", "auto");
  return usual;
}

double read_real(Variable name, double lowest, double highest, double usual, const char* problem,
                 const char* substitute) {
  const auto text = environment_value(name);
  if (!text)
    return usual;
  const auto value = parse_real(*text);
  if (value && *value >= lowest && *value <= highest)
    return *value;
  complain(name, *text, problem, substitute);
  return usual;
}

schedulers::Schedule read_in_node_schedule() {
  constexpr Variable name = Variable::HETMP_NODE_SCHEDULE;
  const auto text = environment_value(name);
  if (!text)
    return {};
  const auto parsed = schedulers::parse_in_node_schedule(*text);
  if (!parsed.schedule)
    complain(name, *text, parsed.error, "static");
  return parsed.schedule.value_or(schedulers::Schedule{});
}

uint32_t read_most_probes(uint32_t usual) {
  constexpr Variable name = Variable::HETMP_PROBES;
  const auto text = environment_value(name);
  if (!text)
    return usual;
  const auto value = parse_integer(*text, 1, most_probes);
  if (!value)
    complain(name, *text, "not a number of visits from 1 to 1000000", "10");
  return value ? uint32_t(*value) : usual;
}

} // namespace

Placement read_placement() {
  Placement read;
  read.regions = read_region_choice();
  read.speeds = read_core_speeds();
  read.static_loops = read_static_loops();
  schedulers::DecisionRules& rules = read.rules;
  rules.speeds = read.speeds.of_node;
  if (!environment_value(Variable::HETMP_CSR)) // the machine's figures: for loops that nobody measures only
    read.speeds.of_node = layout().speeds;
  rules.mode = read_decision_mode();
  rules.misses_threshold = read_real(Variable::HETMP_MISS_THRESHOLD, 0, 1000, rules.misses_threshold,
                                     "not a number of misses per thousand instructions", "3");
  rules.most_probes = read_most_probes(rules.most_probes);
  rules.reprobe_percent =
      read_real(Variable::OMP_HET_PTG, 0, 100, rules.reprobe_percent, "not a percentage from 0 to 100", "10");
  rules.in_node = read_in_node_schedule();
  return read;
}

Placement& placement() {
  // Never destroyed: threads may still ask while the program's static objects are being destroyed.
  static Placement& settings = *new Placement;
  return settings;
}

} // namespace hetmp::runtime
