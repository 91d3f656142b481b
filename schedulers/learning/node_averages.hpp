// What visits tell of a team's nodes: smoothed over visits, and as the last one alone has it.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_phase.hpp"
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

/// Measurements that cannot be true leave what is known of the node as it was. Smoothing, per iteration, so that visits
/// with different trip counts compare: the new value weighs 0.75, for times and faults alike; between times of
/// different numbers of iterations, the longer one the more.
///
/// Times come from `wholes` if several nodes ran more than their probes and hardly any page moved meanwhile: it is
/// many times longer than the probe, so what disturbs a node now and then weighs as it does in the whole loop. Such
/// times that agree within 10 percent are one steady speed with disturbances: of these it is the mean. An audit alone
/// would meet whatever disturbs the machine in that moment: where all nodes in use have `earlier` times, the speeds
/// follow from them.
class NodeAverages {
 public:
  NodeAverages() = default;
  /// Nothing is known yet.
  explicit NodeAverages(const std::vector<uint32_t>& threads);

  bool of_team(const std::vector<uint32_t>& threads) const;
  /// Whether they can be this team's.
  bool of_team(const std::vector<NodeMeasurement>& nodes) const;

  /// Takes in a visit of this team. `phase` is the loop's before the visit was measured, `decision` the one that
  /// divided the visit. True: the speeds are now of all visits since the last audit.
  bool take(VisitMeasurements visit, LoopPhase phase, const Decision& decision, const DecisionRules& rules);
  /// Averages begin with the last visit.
  void begin_anew() { smoothed_ = latest_; }

  const std::vector<NodeKnowledge>& smoothed() const { return smoothed_; }
  /// As the last believable measurement alone has it.
  const std::vector<NodeKnowledge>& latest() const { return latest_; }

 private:
  /// Where a visit's times come from; Kept: they are not taken; Persisting: everything comes from the wholes.
  enum class Times : uint8_t { OfProbes, OfWholes, Kept, Persisting };
  bool has_times_of_all(const std::vector<NodeMeasurement>& earlier, const Decision& decision) const;
  Times times_of(const VisitMeasurements& visit, bool divided, const DecisionRules& rules);
  void take_node(uint32_t node, const NodeMeasurement& probe, const NodeMeasurement& timed, Times times,
                 const DecisionRules& rules);

  std::vector<NodeKnowledge> smoothed_;
  std::vector<NodeKnowledge> latest_;
  bool taken_ = false; ///< a visit
  bool kept_ = false;  ///< the last visit's times were not taken
};

} // namespace hetmp::schedulers
