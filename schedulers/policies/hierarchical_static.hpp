// Hierarchical static (the paper, section 3.1) as a policy. The runtime computes these shares without asking
// (static_shares.hpp); as a policy they can be compared with the others.
#pragma once

#include "schedulers/arithmetic/static_shares.hpp"
#include "schedulers/policies/policy.hpp"

namespace hetmp::schedulers {

class HierarchicalStatic : public LoopPolicy {
 public:
  /// `in_node`: how a node's threads divide its share.
  HierarchicalStatic(const LoopShape& shape, const CoreSpeeds& speeds, const Schedule& in_node);

  /// Answers at once, with the node's whole share.
  void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) override;
  bool finished() const override { return waiting_for_ == 0; }

 private:
  LoopShape shape_;
  CoreSpeeds speeds_;
  Schedule in_node_;
  uint32_t waiting_for_; ///< nodes that have not asked
};

} // namespace hetmp::schedulers
