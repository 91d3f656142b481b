#include "schedulers/hetprobe.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hetmp::schedulers {
namespace {

constexpr double weight_of_new = 0.75;
/// A time below this says more about the clock than about the node; it also keeps every quotient finite.
constexpr double shortest_probe_us = 0.1;
/// Nodes whose speeds differ by less count as equal: a probe cannot tell so little from noise, and splitting by noise
/// makes the work of equal nodes uneven on every visit. Truly unequal nodes lose at most half of this.
constexpr double smallest_difference = 1.05;
constexpr double never = std::numeric_limits<double>::infinity();

bool believable(const NodeMeasurement& measurement) {
  return measurement.threads > 0 && measurement.iterations > 0 && std::isfinite(measurement.mean_us) &&
         measurement.mean_us >= 0;
}

double moving_average(double newer, double older) {
  return weight_of_new * newer + (1 - weight_of_new) * older;
}

std::string in_digits(double value) {
  char digits[32];
  auto [end, problem] =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, value < 10 ? 2 : 0);
  if (problem != std::errc{}) // too large for this notation
    end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 2).ptr;
  return {digits, end};
}

std::string explain(const Decision& decision, double threshold_us) {
  if (decision.speed.size() < 2)
    return "only one node takes part";
  if (decision.fault_period_us == never)
    return "no faults";
  const std::string period = "a fault every " + in_digits(decision.fault_period_us) + " us, ";
  const std::string threshold = "threshold of " + in_digits(threshold_us) + " us";
  if (decision.placement == Decision::Placement::AllNodes)
    return period + "not below the " + threshold;
  return period + "below the " + threshold + ", so all on the origin (cache misses are not weighed)";
}

} // namespace

RegionHistory::RegionHistory(uint32_t most_probes) : most_probes_(std::max<uint32_t>(most_probes, 1)) {}

Decision RegionHistory::update(const std::vector<NodeMeasurement>& nodes, double threshold_us) {
  if (nodes.size() != nodes_.size()) {
    nodes_.assign(nodes.size(), Smoothed{});
    probed_ = 0;
  }
  if (wants_probe())
    ++probed_;
  for (size_t i = 0; i < nodes.size(); ++i)
    absorb(nodes_[i], nodes[i]);

  decision_ = Decision{};
  decision_.speed = core_speed_ratios();
  decision_.fault_period_us = overall_fault_period();
  if (nodes.size() > 1 && decision_.fault_period_us < threshold_us)
    decision_.placement =
        Decision::Placement::OneNode; // the origin: data and the program's serial part live there
  decision_.reason = explain(decision_, threshold_us);
  return decision_;
}

double RegionHistory::fault_period_us(uint32_t node) const {
  return node < nodes_.size() ? fault_period(nodes_[node]) : never;
}

void RegionHistory::absorb(Smoothed& node, const NodeMeasurement& measurement) {
  node.threads = measurement.threads;
  if (!believable(measurement))
    return;
  const double iterations = static_cast<double>(measurement.iterations);
  const double us = std::max(measurement.mean_us, shortest_probe_us) * measurement.threads / iterations;
  const double faults = static_cast<double>(measurement.faults) / iterations;
  const bool busy_known = std::isfinite(measurement.busy_us) && measurement.busy_us >= 0;
  const double busy =
      busy_known ? std::max(measurement.busy_us, shortest_probe_us) * measurement.threads / iterations : us;
  node.us_per_iteration = node.measured ? moving_average(us, node.us_per_iteration) : us;
  node.busy_us_per_iteration = node.measured ? moving_average(busy, node.busy_us_per_iteration) : busy;
  node.faults_per_iteration = node.measured ? moving_average(faults, node.faults_per_iteration) : faults;
  node.measured = true;
}

/// Execution over faults: in the time in which one thread does an iteration, the node's threads do `threads` of
/// them. Time spent waiting for pages is not execution: with it, a loop that does nothing but fault would show the
/// interconnect's latency as its period, and a busy machine would make it look profitable.
double RegionHistory::fault_period(const Smoothed& node) {
  const double faults_meanwhile = node.faults_per_iteration * node.threads;
  return node.measured && faults_meanwhile > 0 ? node.busy_us_per_iteration / faults_meanwhile : never;
}

/// A node with threads but without a believable time yet counts as the slowest: it then gets the least work.
std::vector<double> RegionHistory::core_speed_ratios() const {
  double slowest = 0;
  for (const Smoothed& node : nodes_)
    if (node.measured && node.threads > 0)
      slowest = std::max(slowest, node.us_per_iteration);
  std::vector<double> speed(nodes_.size(), 1.0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].threads == 0)
      speed[i] = 0;
    else if (nodes_[i].measured)
      speed[i] = slowest / nodes_[i].us_per_iteration;
  }
  if (std::all_of(speed.begin(), speed.end(), [](double ratio) { return ratio <= smallest_difference; }))
    for (double& ratio : speed)
      ratio = std::min(1.0, std::ceil(ratio)); // a node without threads stays at 0
  return speed;
}

/// The mean over the nodes that faulted, weighted by their share of the threads. It is the harmonic mean,
/// that is, the mean is taken over fault *rates*: with the arithmetic mean of periods one node that faults a
/// few times would hide any number of faults of another, and additional faults could turn "does not pay" into
/// "pays".
double RegionHistory::overall_fault_period() const {
  double threads = 0;
  double rate = 0;
  for (const Smoothed& node : nodes_) {
    const double period = fault_period(node);
    if (period == never)
      continue;
    threads += node.threads;
    rate += node.threads / period;
  }
  return rate > 0 ? threads / rate : never;
}

} // namespace hetmp::schedulers
