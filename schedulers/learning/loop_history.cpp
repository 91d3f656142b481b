#include "schedulers/learning/loop_history.hpp"

#include "schedulers/learning/node_knowledge.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hetmp::schedulers {
namespace {

constexpr double weight_of_new = 0.75;
/// Probes that agree before a decision stands early. The first visit always moves data; three leave two that
/// did not.
constexpr uint32_t enough_probes = 3;
/// A fault period is beyond doubt if it differs from the break-even by more than this factor.
constexpr double clear_factor = 2.5;
/// An audit that finds a speed changed by more contradicts the decision.
constexpr double contradicting_difference = 1.2;
/// The same of speeds over all visits since the last audit. Little: where two nodes' CPUs are threads of one core,
/// whoever is alone at the end of a visit is the faster for it, which hides about half of an uneven division.
constexpr double changed_on_average = 1.02;
/// Faults that are expected to fall below this part of what they were are still settling.
constexpr double settled_part = 0.9;
/// Faults of an iteration that are none.
constexpr double no_fault = 1e-9;
constexpr uint32_t first_interval = 16;
/// Of a decision for several nodes: its audit goes by the division that is in force and costs next to nothing.
constexpr uint32_t first_interval_of_several = 8;
constexpr uint32_t longest_interval = 4096;
/// The first interval at most, of a decision for one node.
constexpr uint32_t longest_first_interval = 32;

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

/// Whether some node's faults have become markedly fewer from one visit to the next.
bool pages_settle(const std::vector<NodeKnowledge>& latest) {
  return std::any_of(latest.begin(), latest.end(), [](const NodeKnowledge& node) {
    return node.measured && node.faults_next_visit < settled_part * node.faults_per_iteration;
  });
}

/// By how much the speeds, relative to each other, of the nodes that divide the work differ; 1 = not at all.
/// Of other nodes they do not matter: what is in use stays the same.
double change_of_speeds(const Decision& before, const Decision& after) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (uint32_t i = 0; i < before.speed.size() && i < after.speed.size(); ++i)
    if (before.uses(i) && before.speed[i] > 0 && after.speed[i] > 0) {
      least = std::min(least, after.speed[i] / before.speed[i]);
      greatest = std::max(greatest, after.speed[i] / before.speed[i]);
    }
  return greatest > 0 ? greatest / least : 1;
}

/// The fault period from which several nodes pay, or what stands for it where decisions are predictions.
double limit_of(const DecisionRules& rules) {
  return rules.mode == DecisionMode::Predict ? rules.fault_us : rules.threshold_us;
}

/// Whether the faults leave no doubt: far from the period from which several nodes pay. Predictions have no
/// such threshold; a period far from what a fault costs means that faults hardly count, or that nothing else
/// does.
bool clear(const Decision& decision, const DecisionRules& rules) {
  const double limit = limit_of(rules);
  return decision.fault_period_us > limit * clear_factor || decision.fault_period_us < limit / clear_factor;
}

/// Visits until the first audit. To audit a decision for one node costs what the decision avoids: the others' pages
/// come, and go again. So the farther its fault period is from any doubt, the later.
uint32_t first_interval_of(const Decision& decision, const DecisionRules& rules) {
  if (decision.only_node() < 0)
    return first_interval_of_several;
  if (!clear(decision, rules) || !(decision.fault_period_us > 0))
    return first_interval;
  const double beyond = limit_of(rules) / clear_factor / decision.fault_period_us;
  return static_cast<uint32_t>(
      std::clamp(first_interval * beyond, double{first_interval}, double{longest_first_interval}));
}

bool on_several_nodes(const std::vector<uint32_t>& threads) {
  return std::count_if(threads.begin(), threads.end(), [](uint32_t count) { return count > 0; }) > 1;
}

} // namespace

LoopHistory::Visit LoopHistory::begin_visit(const std::vector<uint32_t>& threads, const DecisionRules& rules,
                                            uint64_t trips) {
  const bool same = std::equal(threads.begin(), threads.end(), nodes_.begin(), nodes_.end(),
                               [](uint32_t count, const NodeKnowledge& node) { return count == node.threads; });
  if (!same)
    start_afresh(threads, rules);
  visits_ += 1 + (trips == trips_ ? announced_ : 0);
  trips_ = trips;
  announced_ = 0;

  const uint64_t total = std::accumulate(threads.begin(), threads.end(), uint64_t{0});
  if (settled_ && visits_ < next_audit_)
    announced_ = static_cast<uint32_t>(next_audit_ - visits_ - 1);
  else if (!on_several_nodes(threads) || (trips > 0 && trips / total < 2))
    announced_ = first_interval; // not for ever: visits with more iterations may change the decision
  else
    return {true, 0};
  return {false, announced_};
}

Decision LoopHistory::preview(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) const {
  LoopHistory copy = *this;
  return copy.absorb(probes, rules);
}

const Decision& LoopHistory::absorb(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) {
  return absorb(VisitMeasurements{probes, {}, {}}, rules);
}

const Decision& LoopHistory::absorb(VisitMeasurements visit, const DecisionRules& rules) {
  if (visit.wholes.empty())
    visit.wholes = visit.probes;
  if (!same_shape(visit.probes)) {
    std::vector<uint32_t> threads;
    for (const NodeMeasurement& node : visit.probes)
      threads.push_back(node.threads);
    start_afresh(threads, rules);
  }
  Times times = times_of(visit.probes, visit.wholes, rules);
  const bool long_times = settled_ && has_times_of_all(visit.earlier);
  if (long_times)
    add_earlier_times(visit, std::exchange(times, Times::OfWholes));
  for (uint32_t i = 0; i < visit.probes.size(); ++i) {
    const NodeMeasurement& longest = believable(visit.wholes[i]) ? visit.wholes[i] : visit.probes[i];
    take(i, times == Times::Persisting ? longest : visit.probes[i], longest, times, rules);
  }
  ++probed_;
  const Decision standing = std::exchange(decision_, decide(nodes_, rules));
  same_nodes_ = decided_ && standing.nodes == decision_.nodes ? same_nodes_ + 1 : 1;
  if (!settled_)
    judge_probe(standing, rules);
  else if (!long_times || !judge_long_times(standing, rules))
    judge_audit(standing, rules);
  decided_ = true;
  return decision_;
}

bool LoopHistory::has_times_of_all(const std::vector<NodeMeasurement>& earlier) const {
  if (earlier.size() != nodes_.size() || decision_.only_node() >= 0)
    return false;
  for (uint32_t i = 0; i < earlier.size(); ++i)
    if (decision_.uses(i) && !believable(earlier[i]))
      return false;
  return true;
}

/// Makes of the visit's wholes those of all visits since the last audit. `times`: where this visit's own would come
/// from.
void LoopHistory::add_earlier_times(VisitMeasurements& visit, Times times) const {
  for (uint32_t i = 0; i < visit.wholes.size(); ++i) {
    if (!decision_.uses(i))
      continue;
    NodeMeasurement& whole = visit.wholes[i];
    NodeMeasurement sum = visit.earlier[i];
    if (times == Times::OfWholes) // else pages moved on this very visit
      add(sum, whole);
    // CPU time was not measured on those visits: the same part of the time as on this one.
    const bool busy_known = whole.busy_us >= 0 && whole.thread_us > 0;
    sum.busy_us = busy_known ? sum.thread_us * whole.busy_us / whole.thread_us : -1;
    whole = sum;
  }
}

void LoopHistory::asked_every_time() {
  announced_ = 0;
  decided_within_visits_ = true;
}

bool LoopHistory::settled() const { return settled_; }

double LoopHistory::work_us() const {
  for (const NodeKnowledge& node : nodes_)
    if (node.measured)
      return node.us_per_iteration * static_cast<double>(trips_) * static_cast<double>(visits_);
  return 0;
}

bool LoopHistory::steady() const { return settled_ || same_nodes_ >= enough_probes; }

/// Times come from all that the nodes ran where several went on after their probes (otherwise those of different
/// iterations would be compared) and pages stayed. If pages moved although a decision for several nodes was in force,
/// they moved because of its new division: the times stand for once, so that the next visit finds the pages in place.
/// Following the disturbed ones would move the division, and the pages, again and again. Pages that move once more are
/// the loop's own doing, in a part of it that the probes do not show: then all that was measured counts, faults too.
LoopHistory::Times LoopHistory::times_of(const std::vector<NodeMeasurement>& probes,
                                         const std::vector<NodeMeasurement>& wholes, const DecisionRules& rules) {
  const Wholes all = examine(probes, wholes, rules);
  const bool in_force = decided_ && decision_.only_node() < 0;
  Times times = Times::OfProbes;
  if (all.longer > 1 && all.undisturbed)
    times = Times::OfWholes;
  else if (all.longer > 1 && in_force)
    times = stood_ ? Times::Persisting : Times::Standing;
  stood_ = times == Times::Standing;
  return times;
}

/// A measurement without threads is one that is missing, not one of another team.
bool LoopHistory::same_shape(const std::vector<NodeMeasurement>& nodes) const {
  return std::equal(nodes.begin(), nodes.end(), nodes_.begin(), nodes_.end(),
                    [](const NodeMeasurement& measurement, const NodeKnowledge& node) {
                      return measurement.threads == node.threads || measurement.threads == 0;
                    });
}

void LoopHistory::start_afresh(const std::vector<uint32_t>& threads, const DecisionRules& rules) {
  *this = LoopHistory{};
  nodes_.resize(threads.size());
  for (size_t i = 0; i < threads.size(); ++i)
    nodes_[i].threads = threads[i];
  latest_ = nodes_;
  decision_ = decide(nodes_, rules); // nothing is measured: all alike, or as the user says
  decision_.reason.clear();
}

/// The speed of a node is what it will be once pages have settled: the time its faults took counts only as far as they
/// are expected again, on the first visit not at all. Shares that followed cold faults would move on the next visit,
/// and their pages with them. Where faults are so many that this matters much, the loop is not divided anyway.
void LoopHistory::take(uint32_t node, const NodeMeasurement& probe, const NodeMeasurement& timed, Times times,
                       const DecisionRules& rules) {
  if (!believable(probe))
    return;
  NodeKnowledge seen = knowledge_from(probe);
  seen.cold = probed_ == 0;
  NodeKnowledge& latest = latest_[node];
  double settling = seen.faults_per_iteration;
  const bool known_before = nodes_[node].measured;
  if (latest.measured) {
    seen.faults_next_visit = faults_expected(seen.faults_per_iteration, latest.faults_per_iteration);
    settling -= seen.faults_next_visit;
  }
  if (times == Times::OfWholes)
    take_times(seen, knowledge_from(timed));
  else if (times == Times::Standing && known_before)
    take_times(seen, nodes_[node]);
  else if (settling > 0)
    seen.us_per_iteration = std::max(std::min(seen.busy_us_per_iteration, seen.us_per_iteration),
                                     seen.us_per_iteration - settling * rules.fault_us);
  latest = seen;
  NodeKnowledge& known = nodes_[node];
  if (!known.measured) {
    known = seen;
    return;
  }
  known.cold = seen.cold;
  if (times != Times::Standing)
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

/// The decision stands early when the last three probes agree: the same nodes, hardly changed speeds, a clear
/// fault period. And each visit alone has to lead to the same nodes: the averages remember the first, cold
/// one, and a loop is not put on one node because of what that one fetched. Where the policy decides again within
/// each visit, the period need not be clear as long as it does not grow: what is doubtful is looked at again anyway.
/// DecisionRules::most_probes bounds all of this.
void LoopHistory::judge_probe(const Decision& standing, const DecisionRules& rules) {
  const bool agrees =
      decided_ && standing.nodes == decision_.nodes && change_of_speeds(standing, decision_) < smallest_difference;
  const bool no_doubt = (clear(decision_, rules) || (decided_within_visits_ && !pages_settle(latest_))) &&
                        decide(latest_, rules).nodes == decision_.nodes;
  if (!no_doubt)
    alike_ = 0;
  else
    alike_ = agrees ? alike_ + 1 : 1;
  if (++round_ < rules.most_probes && alike_ < enough_probes)
    return;
  interval_ = first_interval_of(decision_, rules);
  stand_until_audit();
}

/// The decision in force against speeds over many visits: those that have changed are taken as they are, as no probe
/// tells them better; others stay exactly as they were: moving a boundary by a few iterations would move pages. False
/// if other nodes would be used: that is for judge_audit().
bool LoopHistory::judge_long_times(const Decision& standing, const DecisionRules& rules) {
  const Decision seen = decide(latest_, rules);
  if (seen.nodes != standing.nodes || decision_.nodes != standing.nodes)
    return false;
  if (change_of_speeds(standing, seen) > changed_on_average) {
    nodes_ = latest_;
    decision_ = seen;
  } else {
    decision_.speed = standing.speed;
    interval_ = std::min(interval_ * 2, longest_interval);
  }
  stand_until_audit();
  return true;
}

/// The audit's own measurement is compared with the decision, not the average in which it weighs three quarters. Speeds
/// that an audit confirms stay exactly as they were.
void LoopHistory::judge_audit(const Decision& standing, const DecisionRules& rules) {
  const Decision seen = decide(latest_, rules);
  const bool several = standing.only_node() < 0;
  const bool looked_twice = std::exchange(looked_, true);
  if (several && looked_twice) // what the average keeps of the first look is not asked
    decision_.nodes = seen.nodes;
  const bool other_nodes = seen.nodes != standing.nodes || decision_.nodes != standing.nodes;
  // Where one node has had the loop, the others' pages are cold, and one visit only shows how they come back. And
  // several nodes are not given up because of the faults of one visit.
  if (!looked_twice && (several ? other_nodes : seen.nodes == standing.nodes)) {
    decision_ = standing;
    return; // the next visit is past the audit's number too: it is probed
  }
  if (other_nodes || change_of_speeds(standing, seen) > contradicting_difference) {
    nodes_ = latest_;
    decision_ = seen;
    settled_ = false;
    same_nodes_ = 1;
    round_ = alike_ = 0;
    judge_probe(standing, rules); // this visit is the first one of the new averages
    return;
  }
  if (several && looked_twice)
    decision_ = standing;
  else if (change_of_speeds(standing, decision_) < smallest_difference)
    decision_.speed = standing.speed;
  interval_ = std::min(interval_ * 2, longest_interval);
  stand_until_audit();
}

void LoopHistory::stand_until_audit() {
  settled_ = true;
  looked_ = false;
  next_audit_ = visits_ + interval_ + 1;
}

} // namespace hetmp::schedulers
