#include "schedulers/learning/loop_history.hpp"

#include "base/check.hpp"
#include "schedulers/learning/audit.hpp"
#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// Probes that agree before a decision stands early. The first visit always moves data; three leave two that
/// did not.
constexpr uint32_t enough_probes = 3;
/// Faults that are expected to fall below this part of what they were are still settling.
constexpr double settled_part = 0.9;
constexpr uint32_t first_interval = 16;
/// Of a decision for several nodes: its audit goes by the division that is in force and costs next to nothing.
constexpr uint32_t first_interval_of_several = 8;
constexpr uint32_t longest_interval = 4096;
/// The first interval at most, of a decision for one node.
constexpr uint32_t longest_first_interval = 32;

/// Whether some node's faults have become markedly fewer from one visit to the next.
bool pages_settle(const std::vector<NodeKnowledge>& latest) {
  return std::any_of(latest.begin(), latest.end(), [](const NodeKnowledge& node) {
    return node.measured && node.faults_next_visit < settled_part * node.faults_per_iteration;
  });
}

/// Visits until the first audit. To audit a decision for one node costs what the decision avoids: the others' pages
/// come, and go again. So the farther its fault period is from any doubt, the later.
uint32_t first_interval_of(const Decision& decision, const DecisionRules& rules) {
  if (decision.only_node() < 0)
    return first_interval_of_several;
  if (!is_beyond_doubt(decision, rules) || !(decision.fault_period_us > 0))
    return first_interval;
  const double beyond = decisive_period_us(rules) / clear_factor / decision.fault_period_us;
  return static_cast<uint32_t>(
      std::clamp(first_interval * beyond, double{first_interval}, double{longest_first_interval}));
}

bool on_several_nodes(const std::vector<uint32_t>& threads) {
  return std::count_if(threads.begin(), threads.end(), [](uint32_t count) { return count > 0; }) > 1;
}

/// A visit on one node has nothing to compare, and one with so few iterations is over before it is measured.
bool can_teach(const std::vector<uint32_t>& threads, uint64_t trips) {
  const uint64_t total = std::accumulate(threads.begin(), threads.end(), uint64_t{0});
  return on_several_nodes(threads) && (trips == 0 || trips / total >= 2);
}

} // namespace

LoopAction LoopHistory::step(LoopEvent event) {
  const LoopStep step = next(phase_, event);
  phase_ = step.phase;
  return step.action;
}

LoopHistory::Visit LoopHistory::begin_visit(const std::vector<uint32_t>& threads, const DecisionRules& rules,
                                            uint64_t trips) {
  if (!averages_.of_team(threads))
    start_afresh(threads, rules);
  const uint32_t begun = 1 + (trips == trips_ ? announced_ : 0);
  visits_ += begun;
  iterations_ += static_cast<double>(trips) * begun;
  trips_ = trips;
  announced_ = 0;
  if (is_held() && visits_ >= next_audit_)
    bound_ = Bound::No;
  if (bound_ == Bound::Trial && can_teach(threads, trips))
    return {true, 0};
  if (bound_ != Bound::No) {
    announced_ = is_held() ? announceable() : 0;
    return {false, announced_};
  }
  const LoopAction action = step(beginning(threads, trips));
  HETMP_CHECK(valid());
  if (action == LoopAction::Probe)
    return {true, 0};
  if (action == LoopAction::KeepTillAudit)
    announced_ = announceable();
  else
    announced_ = std::min(first_interval, most_announced_); // visits with more iterations may change the decision
  return {false, announced_};
}

/// Before the next audit.
uint32_t LoopHistory::announceable() const {
  HETMP_CHECK(next_audit_ > visits_);
  return static_cast<uint32_t>(std::min<uint64_t>(next_audit_ - visits_ - 1, most_announced_));
}

/// Of the visit that has just been counted.
LoopEvent LoopHistory::beginning(const std::vector<uint32_t>& threads, uint64_t trips) const {
  if (settled() && visits_ < next_audit_)
    return LoopEvent::VisitBegins;
  if (!can_teach(threads, trips))
    return LoopEvent::NothingToLearn;
  return settled() ? LoopEvent::AuditDue : LoopEvent::VisitBegins;
}

Decision LoopHistory::preview(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) const {
  LoopHistory copy = *this;
  return copy.absorb(probes, rules);
}

const Decision& LoopHistory::absorb(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) {
  return absorb(VisitMeasurements{probes, {}, {}}, rules);
}

const Decision& LoopHistory::absorb(VisitMeasurements visit, const DecisionRules& rules) {
  if (!averages_.of_team(visit.probes)) {
    std::vector<uint32_t> threads;
    for (const NodeMeasurement& node : visit.probes)
      threads.push_back(node.threads);
    start_afresh(threads, rules);
  }
  times_.take(visit.wholes.empty() ? visit.probes : visit.wholes);
  const bool long_times = averages_.take(std::move(visit), phase_, decision_, rules);
  ++probed_;
  if (bound_ != Bound::No)
    return decision_;
  const Decision standing = std::exchange(decision_, decide(averages_.smoothed(), rules));
  same_nodes_ = decided() && standing.nodes == decision_.nodes ? same_nodes_ + 1 : 1;
  if (settled())
    act(step(judge_audit(standing, long_times, rules)), rules);
  if (!settled()) // also an audit that contradicts: it is the first probe of the new averages
    act(step(judge_probe(standing, rules)), rules);
  HETMP_CHECK(valid());
  return decision_;
}

void LoopHistory::asked_every_time() {
  announced_ = 0;
  decided_within_visits_ = true;
}

double LoopHistory::work_us() const {
  for (const NodeKnowledge& node : nodes())
    if (node.measured)
      return node.us_per_iteration * static_cast<double>(trips_) * static_cast<double>(visits_);
  return 0;
}

bool LoopHistory::steady() const {
  if (bound_ != Bound::No)
    return is_held() && !on_trial_;
  return settled() || same_nodes_ >= enough_probes;
}

void LoopHistory::start_afresh(const std::vector<uint32_t>& threads, const DecisionRules& rules) {
  const LoopStep step = next(phase_, LoopEvent::OtherTeam);
  const uint32_t most_announced = most_announced_;
  *this = LoopHistory{};
  most_announced_ = most_announced;
  phase_ = step.phase;
  averages_ = NodeAverages(threads);
  decision_ = decide(nodes(), rules); // nothing is measured: all alike, or as the user says
  decision_.reason.clear();
}

void LoopHistory::try_out(Decision decision) {
  HETMP_CHECK(decided() && !decision.nodes.empty());
  bound_ = Bound::Trial;
  decision_ = std::move(decision);
  times_.begin_anew();
}

void LoopHistory::hold(Decision decision, uint32_t visits, bool on_trial) {
  HETMP_CHECK(decided() && !decision.nodes.empty());
  bound_ = Bound::Held;
  on_trial_ = on_trial;
  decision_ = std::move(decision);
  next_audit_ = visits_ + visits + 1;
  interval_ = std::max(interval_, first_interval);
  if (!on_trial)
    phase_ = LoopPhase::Standing;
}

void LoopHistory::keep(Decision own, uint32_t visits) {
  hold(std::move(own), visits);
  bound_ = Bound::Kept;
}

void LoopHistory::release(Decision own) {
  HETMP_CHECK(is_bound() && !own.nodes.empty());
  bound_ = Bound::No;
  decision_ = std::move(own);
  if (stands(phase_))
    next_audit_ = visits_ + interval_ + 1;
}

/// The decision stands early when the last three probes agree: the same nodes, hardly changed speeds, a clear
/// fault period. And each visit alone has to lead to the same nodes: the averages remember the first, cold
/// one, and a loop is not put on one node because of what that one fetched. Where the policy decides again within
/// each visit, the period need not be clear as long as it does not grow: what is doubtful is looked at again anyway.
/// DecisionRules::most_probes bounds all of this.
LoopEvent LoopHistory::judge_probe(const Decision& standing, const DecisionRules& rules) {
  const bool agrees =
      decided() && standing.nodes == decision_.nodes && change_of_speeds(standing, decision_) < smallest_difference;
  const bool clear_enough =
      is_beyond_doubt(decision_, rules) || (decided_within_visits_ && !pages_settle(averages_.latest()));
  if (!clear_enough || decide(averages_.latest(), rules).nodes != decision_.nodes)
    alike_ = 0;
  else
    alike_ = agrees ? alike_ + 1 : 1;
  return ++round_ < rules.most_probes && alike_ < enough_probes ? LoopEvent::Doubt : LoopEvent::NoDoubt;
}

/// Leaves the decision that is in force from now on.
LoopEvent LoopHistory::judge_audit(const Decision& standing, bool long_times, const DecisionRules& rules) {
  const Decision seen = decide(averages_.latest(), rules);
  const AuditQuestion question{standing, decision_, seen};
  std::optional<Verdict> verdict;
  if (long_times)
    verdict = judge_many_visits(question);
  if (!verdict)
    verdict = judge_visit(question, phase_ == LoopPhase::LookedOnce);
  if (verdict->event == LoopEvent::AuditFindsSpeeds)
    averages_.begin_anew();
  decision_ = std::move(verdict->decision);
  return verdict->event;
}

/// What follows from a visit that has been measured.
void LoopHistory::act(LoopAction action, const DecisionRules& rules) {
  switch (action) {
  case LoopAction::BeginAnew:
    averages_.begin_anew();
    same_nodes_ = 1;
    round_ = alike_ = 0;
    return;
  case LoopAction::AuditFirst:
    interval_ = first_interval_of(decision_, rules);
    break;
  case LoopAction::AuditLater:
    interval_ = std::min(interval_ * 2, longest_interval);
    break;
  case LoopAction::AuditAgain:
    break;
  default:
    return; // ProbeOn; LookAgain: the date stays, and the next visit is past it, too
  }
  next_audit_ = visits_ + interval_ + 1;
}

bool LoopHistory::valid() const {
  const bool counted = same_nodes_ <= probed_ && round_ <= probed_ && alike_ <= round_;
  const bool dated = !settled() || interval_ > 0;
  return counted && dated && decided() == (probed_ > 0) && !decision_.nodes.empty();
}

} // namespace hetmp::schedulers
