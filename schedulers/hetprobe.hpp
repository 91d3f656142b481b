// The HetProbe decision: from what nodes measured over equal probe shares to where the rest of the loop runs.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hetmp::schedulers {

/// One node's probe on one visit. Every thread of the team ran the same number of iterations.
struct NodeMeasurement {
  double mean_us = 0;      ///< elapsed time of a probe share, mean over the node's threads
  uint64_t faults = 0;     ///< DSM faults of the node meanwhile
  uint64_t iterations = 0; ///< of the node's threads together
  uint32_t threads = 0;    ///< of the node
  /// CPU time of a probe share, mean over the node's threads: what they executed, without the time they waited for
  /// pages or for a CPU. Negative = not known; elapsed time takes its place.
  double busy_us = -1;
};

struct Decision {
  enum class Placement : uint8_t { AllNodes, OneNode };
  Placement placement = Placement::AllNodes;
  uint32_t only_node = 0; ///< OneNode
  /// Core speed ratio of each node: how many times faster than the slowest one a thread of it is (slowest
  /// = 1.0). 0 for a node without threads. Filled with either placement.
  std::vector<double> speed;
  /// Microseconds of execution between two faults of a faulting node; infinity when no node faulted.
  double fault_period_us = std::numeric_limits<double>::infinity();
  std::string reason; ///< one clause with the numbers
};

/// What visits of one region by teams with the same number of nodes have shown. Not synchronised: one owner.
class RegionHistory {
 public:
  static constexpr uint32_t usual_probes = 10;

  /// Probes the first `most_probes` visits (at least one) and then keeps to its last decision.
  explicit RegionHistory(uint32_t most_probes = usual_probes);

  bool wants_probe() const { return probed_ < most_probes_; }
  uint32_t probed_visits() const { return probed_; }
  uint32_t most_probes() const { return most_probes_; }

  /// Takes one probed visit into account and decides anew. Element i of `nodes` is node i's; another number
  /// of nodes than on the visit before starts the history afresh. Measurements that cannot be true (a time
  /// that is negative or not a number) leave what is known of the node as it was. `threshold_us`: the fault
  /// period from which work on several nodes pays; below it everything stays on node 0.
  Decision update(const std::vector<NodeMeasurement>& nodes, double threshold_us);

  /// The last visit's decision; all nodes alike, without speeds, before the first.
  const Decision& decision() const { return decision_; }

  /// Smoothed microseconds of execution between two faults of `node`; infinity if it never faulted or is unknown.
  double fault_period_us(uint32_t node) const;

 private:
  /// Smoothed by an exponentially weighted moving average, per iteration, so that visits with different trip
  /// counts compare and a fault period is the quotient of two averages rather than an average of quotients.
  struct Smoothed {
    bool measured = false;
    double us_per_iteration = 0;      ///< elapsed, of one thread
    double busy_us_per_iteration = 0; ///< executing, of one thread
    double faults_per_iteration = 0; ///< of any of the node's threads
    uint32_t threads = 0;            ///< on the last visit
  };

  static void absorb(Smoothed& node, const NodeMeasurement& measurement);
  static double fault_period(const Smoothed& node);
  std::vector<double> core_speed_ratios() const;
  double overall_fault_period() const;

  uint32_t most_probes_;
  uint32_t probed_ = 0;
  std::vector<Smoothed> nodes_;
  Decision decision_;
};

} // namespace hetmp::schedulers
