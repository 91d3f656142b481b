// HetProbe-I (the paper, section 3.3): HetProbe for irregular loops. It probes again and again while a loop
// runs, for any number of nodes.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/learning/node_pace.hpp"
#include "schedulers/policies/node_regions.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Each node owns a region of the loop, by the decision's weights and in node order, and works on it from one end
/// (takes_from_end): what another node takes over in the end lies at their common border. A visit begins with a probe
/// there, as long for all threads, or with the region's decision once that stands. A node gets only a part of its
/// region at a time, so that it comes back; every part is a measurement. When DecisionRules::reprobe_percent of the
/// loop is done since the last decision, it is decided again from what was measured since, and what is left is divided
/// anew. A node whose region is used up takes from the node that would need longest for its own. Nothing handed out is
/// taken back.
///
/// Distribution in a node is on demand, unless the rules ask for dynamic or guided of their own, and also for
/// the probe. Deterministic is which node runs which iterations: pages belong to nodes, so that is what lets
/// them settle. Equal shares for threads would make a whole node wait for the thread that got the expensive
/// ones.
///
/// Rates compare iterations at different places of an irregular loop, so every division may be wrong. What
/// bounds the harm is that a node never gets more than a small part of what is left, and of ever less: a part
/// that turns out k times as expensive as its size says costs k times that part, while the others go on with
/// the rest of its region.
///
/// A node that the decision leaves out is parked: its question stays open. At a reprobe it may be given a
/// sample, bounded in time, size and in pages it will move, and is parked again if that confirms the
/// decision; the distance to the next sample then doubles.
///
/// No deadlock: while iterations are left, a node's question gets some of them unless it is parked or has
/// come too late, and both need another node at work, which will ask. When nothing is left, every open
/// question is answered.
class HetProbeI final : public LoopPolicy {
 public:
  HetProbeI(const LoopShape& shape, double probe_percent, LoopHistory& history, const DecisionRules& rules);

  void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) override;
  void report(uint32_t node, const NodeMeasurement& done) override;
  bool finished() const override { return working_ == 0; }

  /// The decision in force: the history's at first.
  const Decision& decision() const { return decision_; }
  uint32_t decisions() const { return decisions_; } ///< that this visit has made
  uint32_t samples() const { return samples_; }     ///< that parked nodes were given

 private:
  /// A sample is at most so much of the loop.
  static constexpr double sample_iterations = 0.01;

  enum class State : uint8_t {
    Absent,    ///< has not asked yet
    Asking,    ///< being answered
    Working,   ///< has iterations and will ask again
    Sampling,  ///< likewise, after having been parked
    Parked,    ///< its question is open
    Finishing, ///< has its last iterations and will report
    Done,
  };
  struct Node {
    State state = State::Absent;
    uint32_t threads = 0;
    Range probe;         ///< its share of the probe: where its first region begins
    bool probed = false; ///< it has measured that
    NodePace pace;
    NodeKnowledge known;        ///< what decisions use
    NodeMeasurement fresh;      ///< since `known`
    NodeMeasurement total;      ///< of this visit, without samples that did not pay
    NodeMeasurement together;   ///< that, when the visit's first decision was made
    NodeMeasurement sample;     ///< not yet judged
    double expected_faults = 0; ///< per iteration, by the visits before; infinity = there were none
  };

  void begin_with_probe();
  void divide_at_first(double percent);
  void begin_with_decision();
  void take_in(uint32_t node, const NodeMeasurement& done);
  bool decision_due() const;
  uint64_t next_sample(const Node& node) const;
  double least_period() const;
  bool bring_in_parked(std::vector<Reply>& replies);
  void decide_again(std::vector<Reply>& replies);
  void refresh_knowledge();
  void judge_samples(NodeSet before);
  void remember_bring_ins();
  void keep_slow_nodes();
  void answer(uint32_t node, std::vector<Reply>& replies);
  void hand_out(uint32_t node, uint64_t count, State next, std::vector<Reply>& replies);
  void finish(uint32_t node, std::vector<Reply>& replies);
  void release_parked(std::vector<Reply>& replies);
  void conclude();

  bool in_use(uint32_t node) const;
  bool works(const Node& node) const;
  bool somebody_else_works(uint32_t node) const;
  bool too_late(uint32_t node) const;
  double rate(uint32_t node) const;
  double working_rate(uint32_t but = most_nodes) const;
  std::vector<double> weights() const;
  uint32_t usual_node() const;
  uint64_t part_for(uint32_t node) const;
  uint64_t left_of_probe(uint32_t node) const;
  uint64_t probe_part(uint32_t node) const;
  uint64_t sample_for(uint32_t node) const;
  uint32_t slowest_but(uint32_t node) const;
  void borrow(uint32_t node, uint64_t count);
  void take_from_the_slowest(uint32_t node);

  LoopShape shape_;
  LoopHistory& history_;
  const DecisionRules& rules_;
  NodeRegions regions_;
  std::vector<Node> nodes_;
  Decision decision_;
  bool whole_ = false;   ///< each node gets its region at once: too short to learn from, or nobody to share it with
  bool decided_ = false; ///< in this visit, or the history's decision stands
  bool samples_back_ = false;
  uint32_t sampling_ = 0; ///< nodes in that state
  uint32_t working_ = 0;  ///< nodes that are not Done
  uint32_t decisions_ = 0;
  uint32_t samples_ = 0;
  double reprobe_ = 0;      ///< iterations between two decisions; 0 = never again
  double progress_ = 0;     ///< iterations measured since the last decision
  double since_sample_ = 0; ///< likewise, since parked nodes were last brought in
  double distance_ = 0;     ///< iterations from one sample to the next
};

} // namespace hetmp::schedulers
