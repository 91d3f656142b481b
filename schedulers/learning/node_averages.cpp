#include "schedulers/learning/node_averages.hpp"

#include "schedulers/learning/node_knowledge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hetmp::schedulers {
namespace {

constexpr double weight_of_new = 0.75;
/// Faults of an iteration that are none.
constexpr double no_fault = 1e-9;

/// Time spent on faults, at most, of a measurement that counts as hardly disturbed by pages that moved.
constexpr double undisturbed_part = 0.05;

void smooth(double& known, double seen, double weight = weight_of_new) { known = weight * seen + (1 - weight) * known; }

/// Times of two visits that differ by less are of one steady speed, and disturbances.
constexpr double agreeing_difference = 1.1;
/// So many measurements at most stand behind a mean: it can follow a speed that changes little by little.
constexpr double longest_memory = 8;

bool agree(double a, double b) { return std::max(a, b) <= agreeing_difference * std::min(a, b); }

void take_times(NodeKnowledge& node, const NodeKnowledge& from) {
  node.iterations = from.iterations;
  node.us_per_iteration = from.us_per_iteration;
  node.busy_us_per_iteration = from.busy_us_per_iteration;
}

/// `may_be_mean`: of times that agree.
void smooth_times(NodeKnowledge& known, const NodeKnowledge& seen, bool may_be_mean) {
  const bool steady = may_be_mean && agree(known.us_per_iteration, seen.us_per_iteration);
  const double old = known.iterations * (steady ? known.agreeing : (1 - weight_of_new) / weight_of_new);
  const double weight = seen.iterations / (seen.iterations + old);
  smooth(known.us_per_iteration, seen.us_per_iteration, weight);
  smooth(known.busy_us_per_iteration, seen.busy_us_per_iteration, weight);
  smooth(known.iterations, seen.iterations);
  known.agreeing = steady ? std::min(known.agreeing + 1, longest_memory) : 1;
}

/// Nodes that ran more than their probes, and whether hardly any page moved meanwhile. The faults of all nodes count: a
/// page that one of them fetches takes time of the one that has it, too.
struct Wholes {
  uint32_t longer = 0;
  bool undisturbed = false;
};

Wholes examine(const std::vector<NodeMeasurement>& probes, const std::vector<NodeMeasurement>& wholes,
               const DecisionRules& rules) {
  uint64_t faults = 0;
  uint32_t longer = 0;
  double shortest_us = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < wholes.size(); ++i) {
    faults += wholes[i].faults();
    if (wholes[i].iterations <= probes[i].iterations || !believable(wholes[i]))
      continue;
    ++longer;
    shortest_us = std::min(shortest_us, wholes[i].thread_us);
  }
  return {longer, static_cast<double>(faults) * rules.fault_us <= undisturbed_part * shortest_us};
}

/// Pages settle: if the faults fell from the visit before, they go on falling by the same factor. If they
/// rose, nothing says that they will rise again.
double faults_expected(double latest, double previous) {
  return previous > 0 ? latest * std::min(1.0, latest / previous) : latest;
}

/// Makes of the visit's wholes those of all visits since the last audit.
void add_earlier_times(VisitMeasurements& visit, const Decision& decision, bool undisturbed) {
  for (uint32_t i = 0; i < visit.wholes.size(); ++i) {
    if (!decision.uses(i))
      continue;
    NodeMeasurement& whole = visit.wholes[i];
    NodeMeasurement sum = visit.earlier[i];
    if (undisturbed) // else pages moved on this very visit
      add(sum, whole);
    // CPU time was not measured on those visits: for an iteration the same as on this one. Not the same part of the
    // time, for a quota may have held the node up on some of them.
    const bool busy_known = whole.busy_us >= 0 && whole.iterations > 0;
    const double of_iterations = static_cast<double>(sum.iterations) / static_cast<double>(whole.iterations);
    sum.granted_cpus = whole.granted_cpus;
    sum.busy_us = busy_known ? std::min(sum.thread_us, whole.busy_us * of_iterations) : -1;
    whole = sum;
  }
}

} // namespace

NodeAverages::NodeAverages(const std::vector<uint32_t>& threads) : smoothed_(threads.size()) {
  for (size_t i = 0; i < threads.size(); ++i)
    smoothed_[i].threads = threads[i];
  latest_ = smoothed_;
}

bool NodeAverages::of_team(const std::vector<uint32_t>& threads) const {
  return std::equal(threads.begin(), threads.end(), smoothed_.begin(), smoothed_.end(),
                    [](uint32_t count, const NodeKnowledge& node) { return count == node.threads; });
}

/// A measurement without threads is one that is missing, not one of another team.
bool NodeAverages::of_team(const std::vector<NodeMeasurement>& nodes) const {
  return std::equal(nodes.begin(), nodes.end(), smoothed_.begin(), smoothed_.end(),
                    [](const NodeMeasurement& measurement, const NodeKnowledge& node) {
                      return measurement.threads == node.threads || measurement.threads == 0;
                    });
}

bool NodeAverages::take(VisitMeasurements visit, LoopPhase phase, const Decision& decision,
                        const DecisionRules& rules) {
  if (visit.wholes.empty())
    visit.wholes = visit.probes;
  Times times = times_of(visit, is_decided(phase) && decision.only_node() < 0, rules);
  const bool long_times = stands(phase) && has_times_of_all(visit.earlier, decision);
  if (long_times)
    add_earlier_times(visit, decision, std::exchange(times, Times::OfWholes) == Times::OfWholes);
  for (uint32_t i = 0; i < visit.probes.size(); ++i) {
    const NodeMeasurement& longest = believable(visit.wholes[i]) ? visit.wholes[i] : visit.probes[i];
    take_node(i, times == Times::Persisting ? longest : visit.probes[i], longest, times, rules);
  }
  taken_ = true;
  return long_times;
}

bool NodeAverages::has_times_of_all(const std::vector<NodeMeasurement>& earlier, const Decision& decision) const {
  if (earlier.size() != smoothed_.size() || decision.only_node() >= 0)
    return false;
  for (uint32_t i = 0; i < earlier.size(); ++i)
    if (decision.uses(i) && !believable(earlier[i]))
      return false;
  return true;
}

/// Times come from all that the nodes ran where several went on after their probes (otherwise those of different
/// iterations would be compared) and pages stayed. If pages moved although a decision for several nodes was in force
/// (`divided`), they moved because of its new division: the times are kept for once, so that the next visit finds the
/// pages in place. Following the disturbed ones would move the division, and the pages, again and again. Pages that
/// move once more are the loop's own doing, in a part of it that the probes do not show: then all that was measured
/// counts, faults too.
NodeAverages::Times NodeAverages::times_of(const VisitMeasurements& visit, bool divided, const DecisionRules& rules) {
  const Wholes all = examine(visit.probes, visit.wholes, rules);
  Times times = Times::OfProbes;
  if (all.longer > 1 && all.undisturbed)
    times = Times::OfWholes;
  else if (all.longer > 1 && divided)
    times = kept_ ? Times::Persisting : Times::Kept;
  kept_ = times == Times::Kept;
  return times;
}

/// The speed of a node is what it will be once pages have settled: the time its faults took counts only as far as they
/// are expected again, on the first visit not at all. Shares that followed cold faults would move on the next visit,
/// and their pages with them. Where faults are so many that this matters much, the loop is not divided anyway.
void NodeAverages::take_node(uint32_t node, const NodeMeasurement& probe, const NodeMeasurement& timed, Times times,
                             const DecisionRules& rules) {
  if (!believable(probe))
    return;
  NodeKnowledge seen = knowledge_from(probe);
  seen.cold = !taken_;
  NodeKnowledge& latest = latest_[node];
  double settling = seen.faults_per_iteration;
  const bool known_before = smoothed_[node].measured;
  if (latest.measured) {
    seen.faults_next_visit = faults_expected(seen.faults_per_iteration, latest.faults_per_iteration);
    settling -= seen.faults_next_visit;
  }
  if (times == Times::OfWholes)
    take_times(seen, knowledge_from(timed));
  else if (times == Times::Kept && known_before)
    take_times(seen, smoothed_[node]);
  else if (settling > 0)
    seen.us_per_iteration = std::max(std::min(seen.busy_us_per_iteration, seen.us_per_iteration),
                                     seen.us_per_iteration - settling * rules.fault_us);
  latest = seen;
  NodeKnowledge& known = smoothed_[node];
  if (!known.measured) {
    known = seen;
    return;
  }
  known.cold = seen.cold;
  known.throttled = seen.throttled;
  if (times != Times::Kept)
    smooth_times(known, seen, times == Times::OfWholes);
  smooth(known.faults_per_iteration, seen.faults_per_iteration);
  if (known.faults_per_iteration < no_fault)
    known.faults_per_iteration = 0; // what an average keeps of a fault long ago
  known.faults_next_visit = seen.faults_next_visit;
  if (known.misses_per_kilo_instruction >= 0 && seen.misses_per_kilo_instruction >= 0)
    smooth(known.misses_per_kilo_instruction, seen.misses_per_kilo_instruction);
  else if (seen.misses_per_kilo_instruction >= 0)
    known.misses_per_kilo_instruction = seen.misses_per_kilo_instruction;
}

} // namespace hetmp::schedulers
