// What visits of one loop have shown, and whether the next one is probed.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_phase.hpp"
#include "schedulers/learning/measurement.hpp"
#include "schedulers/learning/node_averages.hpp"
#include "schedulers/learning/visit_times.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Not synchronised: one owner. A history is of visits by teams of one shape (threads of each node); another shape
/// starts it afresh.
///
/// A loop is probed on its first visits, up to DecisionRules::most_probes, fewer when the measurements leave no
/// doubt. Then its decision stands, but not for ever: visits are probed again at growing intervals, and when such a
/// probe contradicts the decision the loop is probed anew. loop_phase.hpp has this as a table.
///
/// Over all that, a loop can be bound by what the program's loops have decided together (schedulers/together): placed,
/// for a trial, in which every visit is measured, or for a number of visits; or kept as it has decided itself for as
/// many. Its own phase waits meanwhile.
class LoopHistory {
 public:
  /// A visit begins.
  struct Visit {
    bool probe = true;
    uint32_t repeats = 0; ///< not probed: so many visits after this one will not be either, and the decision stands
  };
  /// `trips`: the loop's iterations, 0 if they are not known. A visit with another number than the one before tells
  /// that the announced visits in between did not all take place; they are then not counted. A loop with fewer than two
  /// iterations a thread is not probed, and neither is a team on one node.
  Visit begin_visit(const std::vector<uint32_t>& threads, const DecisionRules& rules, uint64_t trips = 0);

  /// The visits that begin_visit() announced will begin like any other: the policy is asked on every visit, and
  /// measures and decides again within it, also when the visit is not probed.
  void asked_every_time();

  /// Takes a visit into account (NodeAverages says how) and decides anew.
  const Decision& absorb(VisitMeasurements visit, const DecisionRules& rules);
  /// Of a visit of which there are probes only.
  const Decision& absorb(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules);
  /// What nodes took for their shares on visits of which nobody asked. Changes no decision.
  void hear(const std::vector<NodeMeasurement>& shares) { times_.take_shares(shares); }
  /// What absorb() would decide.
  Decision preview(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) const;

  LoopPhase phase() const { return phase_; }
  /// The last decision; all nodes of the team alike, without a reason, before the first.
  const Decision& decision() const { return decision_; }
  bool decided() const { return is_decided(phase_); }
  /// The decision stands: no probing until the next audit.
  bool settled() const { return is_held() || (bound_ == Bound::No && stands(phase_)); }
  /// The last three probes, or all since the decision stands, led to the same nodes: enough to do without the others,
  /// though speeds or doubts may still ask for probes.
  bool steady() const;

  const std::vector<NodeKnowledge>& nodes() const { return averages_.smoothed(); }

  /// What hetprobe-i remembers from visit to visit about bringing in nodes that the decision leaves out.
  struct BringIns {
    double distance = 0; ///< iterations from one sample to the next; 0 = as usual
    double since = 0;    ///< iterations since the last one
  };
  BringIns& bring_ins() { return bring_ins_; }

  /// From now on visits are measured and divided by the decision, which no measurement changes. Of a decided loop.
  void try_out(Decision decision);
  /// The decision stands for so many visits; then it is audited as one of its own would be. Of a decided loop.
  /// `on_trial`: other nodes may be needed again soon, and release() may follow.
  void hold(Decision decision, uint32_t visits, bool on_trial = false);
  /// Likewise, of the loop's own decision: it is not placed.
  void keep(Decision own, uint32_t visits);
  /// A trial is over: the loop goes on as it was before, when `own` was its decision.
  void release(Decision own);
  bool is_bound() const { return bound_ != Bound::No; }
  /// Visits follow the decision as it is, whatever the loop's policy would find out within them.
  bool is_placed() const { return bound_ == Bound::Trial || bound_ == Bound::Held; }
  /// The policy is asked again after so many visits at the latest, though the decision stands.
  void ask_again_after(uint32_t visits) { most_announced_ = visits; }
  /// What visits took, since the loop runs where it does.
  const VisitTimes& times() const { return times_; }
  double iterations() const { return iterations_; } ///< of all visits, where trip counts are told

  uint32_t probed_visits() const { return probed_; }
  uint64_t visits() const { return visits_; }
  /// What the visits so far have cost, in microseconds of one thread, by the measured node with the lowest number; 0 =
  /// not known.
  double work_us() const;

 private:
  LoopAction step(LoopEvent event);
  void start_afresh(const std::vector<uint32_t>& threads, const DecisionRules& rules);
  uint32_t announceable() const;
  LoopEvent beginning(const std::vector<uint32_t>& threads, uint64_t trips) const;
  LoopEvent judge_probe(const Decision& standing, const DecisionRules& rules);
  LoopEvent judge_audit(const Decision& standing, bool long_times, const DecisionRules& rules);
  void act(LoopAction action, const DecisionRules& rules);
  bool valid() const;

  enum class Bound : uint8_t { No, Trial, Held, Kept };

  bool is_held() const { return bound_ == Bound::Held || bound_ == Bound::Kept; }

  BringIns bring_ins_;
  LoopPhase phase_ = LoopPhase::Fresh;
  NodeAverages averages_;
  Decision decision_;
  bool decided_within_visits_ = false;
  uint32_t probed_ = 0;
  uint32_t round_ = 0;      ///< probed visits since probing began anew
  uint32_t same_nodes_ = 0; ///< probes in a row that led to the same nodes
  uint32_t alike_ = 0;      ///< of these, the last ones that agreed without doubt
  uint32_t interval_ = 0;   ///< settled: visits that are not probed between two audits
  uint64_t visits_ = 0;
  uint64_t next_audit_ = 0; ///< settled: the number of the visit that is to be probed
  uint64_t trips_ = 0;      ///< of the last visit
  uint32_t announced_ = 0;  ///< visits after it of which nobody asks
  uint32_t most_announced_ = UINT32_MAX;
  double iterations_ = 0;
  VisitTimes times_;
  Bound bound_ = Bound::No;
  bool on_trial_ = false;
};

} // namespace hetmp::schedulers
