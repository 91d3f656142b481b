// Static loops that are placed: each thread asks once for its share, so nothing can be moved during a visit. A visit is
// measured as a whole, and the next one divided by what it showed; the decisions are HetProbe's (the paper,
// section 3.4).
#pragma once

#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Each node gets one contiguous share, which is its last assignment. On visits that are probed it is measured, and a
/// node that the present decision does not use gets a small share, so that there is something to measure. The
/// measurements of a visit decide the next one, as soon as all nodes have reported.
class PlacedStatic final : public LoopPolicy {
 public:
  PlacedStatic(const LoopShape& shape, LoopHistory& history, const DecisionRules& rules);

  void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) override;
  void report(uint32_t node, const NodeMeasurement& done) override;
  bool finished() const override;

 private:
  std::vector<double> weights() const;

  LoopShape shape_;
  LoopHistory& history_;
  const DecisionRules& rules_;
  LoopHistory::Visit visit_;
  std::vector<Range> shares_;
  std::vector<NodeMeasurement> measurements_;
  std::vector<NodeMeasurement> earlier_; ///< on visits of which nobody asked
  uint32_t members_ = 0;                 ///< nodes with threads
  uint32_t answered_ = 0;
  uint32_t reported_ = 0;
};

} // namespace hetmp::schedulers
