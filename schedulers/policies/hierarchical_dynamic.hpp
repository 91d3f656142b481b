// Hierarchical dynamic (the paper, section 3.1, "Cross-node dynamic") and guided: nodes fetch batches of
// iterations from the whole loop, their threads take chunks of them.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Batches are handed out in ascending order. Dynamic with a chunk: a batch is one chunk for each thread of
/// the node. Guided: a guided chunk of the whole team for each thread of the node.
///
/// Dynamic without a chunk: threads take single iterations, and a node's batch adapts so that it lasts about
/// ten times what fetching it costs. It grows while it lasts less, shrinks when it lasts several times as
/// long, and is at most half of the node's fair share of what remains, by the rates seen, so that the nodes
/// finish together. Two exceptions to the half: a node's first batch has an iteration for each of its threads
/// if its fair share does, and what is done in less than one exchange is not divided.
class HierarchicalDynamic : public LoopPolicy {
 public:
  /// `schedule`: Guided, or anything else for dynamic. Of the rules, only the cost of an exchange counts.
  HierarchicalDynamic(const Schedule& schedule, const LoopShape& shape, const DecisionRules& rules);

  /// Answers at once. Of `done`, only the span counts. `last` comes with an empty assignment, when nothing is
  /// left.
  void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) override;
  bool finished() const override { return waiting_for_ == 0; }

 private:
  struct Node {
    uint32_t threads = 0;
    uint64_t handed = 0;   ///< its latest batch; 0 = none yet
    uint64_t batch = 0;    ///< what it would get if there were no end to the loop
    double iterations = 0; ///< done, with older batches counting less and less; the rate is their quotient
    double span_us = 0;

    double rate() const { return span_us > 0 ? iterations / span_us : 0; } ///< 0 = not known
  };

  uint64_t remaining() const { return trips_ - next_; }
  uint64_t batch_for(const Node& node) const;
  uint64_t adaptive_batch(const Node& node) const;
  void learn(Node& node, double span_us) const;
  double fair_share(const Node& node) const;

  uint64_t trips_;
  uint64_t next_ = 0; ///< exactly [0, next_) has been handed out
  uint64_t chunk_;    ///< 0 = none given
  bool guided_;
  double exchange_us_;
  uint32_t total_threads_ = 0;
  uint32_t waiting_for_ = 0; ///< nodes that have not had their last answer
  std::vector<Node> nodes_;
};

} // namespace hetmp::schedulers
