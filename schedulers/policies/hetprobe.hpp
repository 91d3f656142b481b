// HetProbe (the paper, section 3.2): probe, decide, run.
#pragma once

#include "schedulers/arithmetic/iteration_set.hpp"
#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// A probed visit starts with the same number of iterations for every thread, the same ones on every visit.
/// Better than the paper: a node that is back from its probe before the others does not wait for them, it
/// works ahead, in batches cut from what would be its share by the speeds known so far. When the last node
/// has reported, the history decides, and the rest is divided so that all nodes finish together. A node that
/// the decision in force does not use waits instead: what it took would have to be fetched back.
///
/// A probe is short, and whatever disturbs a node meanwhile makes it lie. So a share that follows from one is given in
/// parts, each at most half of what is left of it and twice what the node has shown so far. Whenever a node comes back
/// from a part, what no node has in hand yet is divided anew by the pace of each since the first division; and a node
/// that would get nothing takes half of the largest share that is left: its owner would be back by now, were it as fast
/// as it is believed to be. Nodes with odd numbers take their parts from the end of their share: between neighbours it
/// is their common border that moves.
///
/// Where a decision for several nodes is in force, a probed visit is divided by it at once: a node goes from its probe
/// straight to the rest of its share. The pages are where the decision before has put them, and a division by one short
/// probe, which whatever runs beside the program disturbs, would send a part of them back and forth on every visit.
///
/// What nodes execute after their probes is measured too and reported in the end, for the history: times of a whole
/// share say more than those of a probe.
///
/// A visit that is not probed, or has too few iterations, is divided by the decision in force, as far as
/// possible into the same places as one that is probed.
///
/// Each iteration is handed out exactly once. The probes tile [0, p), for some p. The nodes' tentative
/// regions tile the rest; a batch ahead is cut off one end of a region, so a region stays one range, and
/// regions and batches together go on tiling it. What is left of the regions is cut, once, into shares whose
/// sizes add up to its own, or each region is its node's share; and a share is cut into answers from its front until
/// nothing is left.
///
/// The answers depend on the sequence of questions alone.
class HetProbePolicy : public LoopPolicy {
 public:
  /// Begins a visit of the history, which is told of it when the last node has reported. Both references have
  /// to outlive the policy.
  HetProbePolicy(const LoopShape& shape, double probe_percent, LoopHistory& history, const DecisionRules& rules);

  void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) override;
  void report(uint32_t node, const NodeMeasurement& done) override;
  bool finished() const override { return present_ == 0 && reporting_ == 0; }

 private:
  enum class State : uint8_t {
    Coming,  ///< has not asked yet
    Probing, ///< has its probe
    Ahead,   ///< has a batch ahead
    Waiting, ///< has an open question
    Running, ///< has a part of its share
    Left,    ///< has had its last answer
  };
  struct Node {
    State state = State::Coming;
    Range probe;
    Range region;             ///< what is left of its tentative region
    uint64_t ahead = 0;       ///< iterations of its batch ahead, if it has one
    uint64_t dealt = 0;       ///< of what the first division divided: what it has been given, its batch ahead included
    bool in_use = false;      ///< by the decision in force when the visit began; once the rest is divided, by that
    NodeMeasurement earlier;  ///< over visits for which nobody asked
    NodeMeasurement measured; ///< over its probe
    NodeMeasurement whole;    ///< over all it has executed, the probe included
    NodeMeasurement parts;    ///< over the parts of its share
    uint32_t answers = 0;     ///< with parts of its share
    IterationSet share;       ///< what it is still to be given, once that is known
  };

  void place_probes(double percent);
  void place_regions(Range after_probes);
  void keep_regions();
  void divide_whole_loop(const std::vector<double>& weights);
  void give_probe(uint32_t node, std::vector<Reply>& replies);
  void take_probe(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies);
  std::vector<NodeMeasurement> probes() const;
  std::vector<NodeMeasurement> earlier() const;
  void work_ahead(uint32_t node, std::vector<Reply>& replies);
  Range cut_batch(Node& node);
  uint64_t batch_size(const Node& node, uint32_t threads) const;
  void divide_rest(const std::vector<double>& weights);
  std::vector<uint64_t> fair_sizes(const std::vector<double>& weights, uint64_t rest,
                                   std::vector<uint64_t> in_hand) const;
  void give_share(uint32_t node, std::vector<Reply>& replies);
  IterationSet cut_part(uint32_t node);
  double least_part(uint32_t node) const;
  void balance(uint32_t asking);
  void take_over(uint32_t asking);
  bool goes_on(uint32_t node) const;
  std::vector<double> paces() const;
  void move_borders(const std::vector<uint64_t>& sizes);

  const LoopShape shape_;
  LoopHistory& history_;
  const DecisionRules& rules_;
  std::vector<Node> nodes_;
  uint32_t present_ = 0;   ///< nodes of the team that have not had their last answer
  uint32_t probing_ = 0;   ///< nodes whose probe is not reported
  uint32_t reporting_ = 0; ///< on a probed visit: nodes that have not reported the end of their part
  uint32_t repeats_ = 0;
  bool measured_ = false; ///< the visit is probed
  bool divided_ = false;  ///< the shares are known
  bool by_parts_ = false; ///< they follow from this visit's probes alone, and are given in parts
};

} // namespace hetmp::schedulers
