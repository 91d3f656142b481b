// The contract between a loop whose iterations are placed on nodes and the policy that places them.
//
// A policy lives at the global level: one object for one visit of one loop by one team. The nodes ask it, one after the
// other or at the same time, what to do next; it answers at once, or later, when another node's question makes the
// answer possible. It knows no threads, clocks or messages, so the runtime, the simulator and the tests drive the same
// object. What a node does with an answer is node_work.hpp.
#pragma once

#include "schedulers/arithmetic/loop_shape.hpp"
#include "schedulers/learning/measurement.hpp"
#include "schedulers/policies/assignment.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace hetmp::schedulers {

/// An answer to a node.
struct Reply {
  uint32_t node = 0;
  Assignment assignment;
};

class LoopPolicy {
 public:
  virtual ~LoopPolicy() = default;

  /// Node `node` comes to the loop (its first question; `done`: times and iterations of the visits since its last one
  /// for which nobody asked, if there were any), or has nothing left of its assignment. `done`: what it has measured
  /// since it asked before. Appends the answers that become possible, in any order. Every question is answered exactly
  /// once; a node with an open question asks nothing, and after an answer with `last` it asks no more. The nodes'
  /// assignments tile [0, trips) exactly.
  virtual void ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) = 0;

  /// What a node measured over an assignment that was both `measured` and `last`. Not answered.
  virtual void report(uint32_t node, const NodeMeasurement& done);

  /// Every node of the team has had its last assignment, and reported where that was measured.
  virtual bool finished() const = 0;
};

class LoopHistory;
struct DecisionRules;

/// The policy that `schedule` names, by its line in policy_table.hpp. `history` is the loop's; it, and
/// `rules`, outlive the policy. Static schedules, whose shares every node can compute alone (static_shares.hpp), have
/// one too, so that all policies can be compared.
std::unique_ptr<LoopPolicy> make_policy(const Schedule& schedule, const LoopShape& shape, LoopHistory& history,
                                        const DecisionRules& rules);

} // namespace hetmp::schedulers
