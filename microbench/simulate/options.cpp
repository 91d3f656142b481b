#include "microbench/simulate/options.hpp"

#include "schedulers/policies/schedule_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace hetmp::simulate {
namespace {

using simulation::SpeedStep;

bool parse_number(std::string_view text, double& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
}

/// "SPEED" or "SPEED@MS/SPEED@MS/...".
bool parse_speed(std::string_view text, simulation::SpeedTimeline& timeline) {
  std::vector<SpeedStep> steps;
  while (true) {
    const size_t slash = text.find('/');
    const std::string_view step = text.substr(0, slash);
    const size_t at = step.find('@');
    SpeedStep parsed;
    if (!parse_number(step.substr(0, at), parsed.speed) || parsed.speed <= 0)
      return false;
    if (at != std::string_view::npos && !parse_number(step.substr(at + 1), parsed.from_us))
      return false;
    parsed.from_us *= 1000;
    if (!steps.empty() && parsed.from_us <= steps.back().from_us)
      return false;
    steps.push_back(parsed);
    if (slash == std::string_view::npos)
      break;
    text.remove_prefix(slash + 1);
  }
  timeline = simulation::SpeedTimeline(std::move(steps));
  return true;
}

const simulation::NamedShape* find_shape(const std::string& name) {
  const auto found = std::find_if(simulation::all_shapes.begin(), simulation::all_shapes.end(),
                                  [&](const simulation::NamedShape& shape) { return shape.name == name; });
  return found == simulation::all_shapes.end() ? nullptr : &*found;
}

std::function<double(uint64_t)> faults_of(double each, const std::string& where, uint64_t trips) {
  if (each <= 0)
    return {};
  if (where == "first-half")
    return [=](uint64_t i) { return i < trips / 2 ? each : 0; };
  return [=](uint64_t) { return each; };
}

template <class T> const T& of_node(const std::vector<T>& given, uint32_t node) {
  return given[std::min<size_t>(node, given.size() - 1)];
}

} // namespace

std::vector<Candidate> candidates(const Options& options, std::string& error) {
  std::vector<Candidate> result;
  for (const std::string& name : options.policies) {
    std::string text = name; // a comma separates policies, so that a parameter follows a colon
    std::replace(text.begin(), text.end(), ':', ',');
    const schedulers::ParsedSchedule parsed = schedulers::parse_schedule(text);
    if (!parsed.schedule) {
      error = "policy '" + name + "': " + parsed.error;
      return {};
    }
    result.push_back({name, *parsed.schedule});
  }
  return result;
}

simulation::Scenario scenario(const Options& options, std::string& error) {
  simulation::Scenario result;
  const simulation::NamedShape* shape = find_shape(options.shape);
  if (shape == nullptr)
    error = "no shape '" + options.shape + "'";
  uint64_t threads = 0;
  double work_per_us = 0;
  for (uint32_t i = 0; i < options.nodes; ++i) {
    simulation::SimulatedNode node;
    node.threads = of_node(options.threads, i);
    threads += node.threads;
    if (!parse_speed(of_node(options.speeds, i), node.speed))
      error = "speed '" + of_node(options.speeds, i) + "': not a number above 0, nor such as 1@0/0.5@200";
    else
      work_per_us += node.threads * node.speed.at(0);
    result.nodes.push_back(std::move(node));
  }
  if (threads == 0)
    error = "no node has threads";
  if (threads > 4096)
    error = std::to_string(threads) + " threads; at most 4096 are simulated";
  if (!error.empty())
    return result;
  result.cost = simulation::make_profile(shape->shape, options.trips, options.milliseconds * 1000 * work_per_us,
                                         options.contrast, options.seed);
  result.faults.fault_us = options.fault_us;
  result.faults.own = faults_of(options.own_faults, options.faults_where, options.trips);
  result.faults.common = faults_of(options.common_faults, options.faults_where, options.trips);
  result.exchange_us = result.rules.exchange_us = options.exchange_us;
  result.chunk_us = options.chunk_us;
  result.visits = options.visits;
  result.rules.mode =
      options.decisions == "predict" ? schedulers::DecisionMode::Predict : schedulers::DecisionMode::Threshold;
  result.rules.threshold_us = options.threshold_us;
  result.rules.fault_us = options.fault_us;
  result.rules.reprobe_percent = options.reprobe_percent;
  return result;
}

} // namespace hetmp::simulate
