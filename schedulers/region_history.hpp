// What visits of one region have shown, and whether the next one is probed.
#pragma once

#include "schedulers/decision.hpp"
#include "schedulers/measurement.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Not synchronised: one owner. A history is of visits by teams of one shape (threads of each node); another shape starts
/// it afresh.
///
/// A region is probed on its first visits, up to DecisionRules::most_probes, fewer when the measurements leave no doubt.
/// Then its decision stands, but not for ever: visits are probed again at growing intervals, and when such a probe
/// contradicts the decision the region is probed anew.
class RegionHistory {
 public:
  /// A visit begins.
  struct Visit {
    bool probe = true;
    uint32_t repeats = 0; ///< not probed: so many visits after this one will not be either, and the decision stands
  };
  Visit begin_visit(const std::vector<uint32_t>& threads, const DecisionRules& rules);

  /// Takes a probe into account (element i of `nodes` is node i's) and decides anew. Measurements that cannot be true leave
  /// what is known of the node as it was. Smoothing: the new value weighs 0.75, for times and faults alike, per iteration,
  /// so that visits with different trip counts compare; the first one is taken as it is.
  const Decision& absorb(const std::vector<NodeMeasurement>& nodes, const DecisionRules& rules);

  /// The last decision; all nodes of the team alike, without a reason, before the first.
  const Decision& decision() const { return decision_; }
  bool decided() const { return decided_; }
  /// The decision stands: no probing until the next audit.
  bool settled() const;

  const std::vector<NodeKnowledge>& nodes() const { return nodes_; }
  uint32_t probed_visits() const { return probed_; }
  uint64_t visits() const { return visits_; }

 private:
  // The members are the implementation's to choose.
  std::vector<NodeKnowledge> nodes_;
  Decision decision_;
  bool decided_ = false;
  uint32_t probed_ = 0;
  uint64_t visits_ = 0;
};

} // namespace hetmp::schedulers
