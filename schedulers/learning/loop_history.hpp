// What visits of one loop have shown, and whether the next one is probed.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/measurement.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// What the nodes of a team measured on a visit; element i of each is node i's.
struct VisitMeasurements {
  std::vector<NodeMeasurement>
      probes; ///< over its probe: the same iterations on every visit, whatever else it was given
  std::vector<NodeMeasurement> wholes; ///< over all that it ran, the probe included; empty: as the probes
  std::vector<NodeMeasurement>
      earlier; ///< of an audit: over its shares on the visits since the one before; empty: not known
};

/// Not synchronised: one owner. A history is of visits by teams of one shape (threads of each node); another shape
/// starts it afresh.
///
/// A loop is probed on its first visits, up to DecisionRules::most_probes, fewer when the measurements leave no
/// doubt. Then its decision stands, but not for ever: visits are probed again at growing intervals, and when such a
/// probe contradicts the decision the loop is probed anew.
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

  /// Takes a visit into account and decides anew. Measurements that cannot be true leave what is known of the node as
  /// it was. Smoothing, per iteration, so that visits with different trip counts compare: the new value weighs 0.75,
  /// for times and faults alike; between times of different numbers of iterations, the longer one the more.
  ///
  /// Times come from `wholes` if several nodes ran more than their probes and hardly any page moved meanwhile: it is
  /// many times longer than the probe, so what disturbs a node now and then weighs as it does in the whole loop. Such
  /// times that agree within 10 percent are one steady speed with disturbances: of these it is the mean. An audit alone
  /// would meet whatever disturbs the machine in that moment: where all nodes in use have `earlier` times, the speeds
  /// follow from them.
  const Decision& absorb(VisitMeasurements visit, const DecisionRules& rules);
  /// Of a visit of which there are probes only.
  const Decision& absorb(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules);
  /// What absorb() would decide.
  Decision preview(const std::vector<NodeMeasurement>& probes, const DecisionRules& rules) const;

  /// The last decision; all nodes of the team alike, without a reason, before the first.
  const Decision& decision() const { return decision_; }
  bool decided() const { return decided_; }
  /// The decision stands: no probing until the next audit.
  bool settled() const;
  /// The last three probes, or all since the decision stands, led to the same nodes: enough to do without the others,
  /// though speeds or doubts may still ask for probes.
  bool steady() const;

  const std::vector<NodeKnowledge>& nodes() const { return nodes_; }

  /// What hetprobe-i remembers from visit to visit about bringing in nodes that the decision leaves out.
  struct BringIns {
    double distance = 0; ///< iterations from one sample to the next; 0 = as usual
    double since = 0;    ///< iterations since the last one
  };
  BringIns& bring_ins() { return bring_ins_; }
  uint32_t probed_visits() const { return probed_; }
  uint64_t visits() const { return visits_; }
  /// What the visits so far have cost, in microseconds of one thread, by the measured node with the lowest number; 0 =
  /// not known.
  double work_us() const;

 private:
  bool same_shape(const std::vector<NodeMeasurement>& nodes) const;
  void start_afresh(const std::vector<uint32_t>& threads, const DecisionRules& rules);
  /// Where a visit's times come from; Standing: they are not taken; Persisting: everything comes from the wholes.
  enum class Times : uint8_t { OfProbes, OfWholes, Standing, Persisting };
  bool has_times_of_all(const std::vector<NodeMeasurement>& earlier) const;
  void add_earlier_times(VisitMeasurements& visit, Times times) const;
  Times times_of(const std::vector<NodeMeasurement>& probes, const std::vector<NodeMeasurement>& wholes,
                 const DecisionRules& rules);
  void take(uint32_t node, const NodeMeasurement& probe, const NodeMeasurement& timed, Times times,
            const DecisionRules& rules);
  void judge_probe(const Decision& standing, const DecisionRules& rules);
  void judge_audit(const Decision& standing, const DecisionRules& rules);
  bool judge_long_times(const Decision& standing, const DecisionRules& rules);
  void stand_until_audit();

  BringIns bring_ins_;
  std::vector<NodeKnowledge> nodes_;  ///< smoothed
  std::vector<NodeKnowledge> latest_; ///< as the last believable measurement alone has it
  Decision decision_;
  bool decided_ = false;
  bool settled_ = false;
  bool decided_within_visits_ = false;
  bool stood_ = false;  ///< the last visit's times were not taken
  bool looked_ = false; ///< of an audit that takes two visits: the first one has been
  uint32_t probed_ = 0;
  uint32_t round_ = 0;      ///< probed visits since probing began anew
  uint32_t same_nodes_ = 0; ///< probes in a row that led to the same nodes
  uint32_t alike_ = 0;      ///< of these, the last ones that agreed without doubt
  uint32_t interval_ = 0;   ///< settled: visits that are not probed between two audits
  uint64_t visits_ = 0;
  uint64_t next_audit_ = 0; ///< settled: the number of the visit that is to be probed
  uint64_t trips_ = 0;      ///< of the last visit
  uint32_t announced_ = 0;  ///< visits after it of which nobody asks
};

} // namespace hetmp::schedulers
