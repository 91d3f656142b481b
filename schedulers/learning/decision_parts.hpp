// The questions that a decision is made of, and the words it is explained with.
#pragma once

#include "schedulers/learning/decision.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::schedulers {

/// The shortest fault period of the set's nodes; infinity if none faults.
double overall_fault_period(const std::vector<NodeKnowledge>& nodes, NodeSet set);

/// The nodes with a speed above 0: they have threads, and the user does not exclude them.
NodeSet nodes_with_speed(const std::vector<double>& speed);

/// The nodes of `candidates` that have been measured.
NodeSet measured_of(const std::vector<NodeKnowledge>& nodes, NodeSet candidates);

/// Work of a node in a microsecond, all its threads together: by its speed if the user gave the speeds,
/// otherwise by its CPU time, and what a quota makes of that, because the probe's elapsed time has costs of the DSM
/// that are absent when one node has the whole loop.
double throughput(const std::vector<NodeKnowledge>& nodes, const Decision& decision, const DecisionRules& rules,
                  uint32_t node);

struct SingleNode {
  uint32_t node = 0;
  std::string why; ///< what was weighed, with the numbers
};

/// Where a loop runs that does not pay on several nodes (the paper, section 3.4, question 3). `candidates` is
/// not empty. `decision` has the speeds and the mean of the cache misses.
SingleNode best_single_node(const std::vector<NodeKnowledge>& nodes, NodeSet candidates, const Decision& decision,
                            const DecisionRules& rules);

/// Chooses the set of candidates with the least predicted time (DecisionMode::Predict): fills nodes, reason
/// and predicted_us_per_iteration, which has room for every node and the set. At least one candidate has been
/// measured.
void predict(const std::vector<NodeKnowledge>& nodes, NodeSet candidates, const DecisionRules& rules,
             Decision& decision);

/// A fault period is beyond doubt if it differs from the decisive one by more than this factor.
inline constexpr double clear_factor = 2.5;

/// The fault period from which several nodes pay, or what stands for it where decisions are predictions.
double decisive_period_us(const DecisionRules& rules);

/// Whether the faults leave no doubt: far from the period from which several nodes pay. Predictions have no
/// such threshold; a period far from what a fault costs means that faults hardly count, or that nothing else
/// does.
bool is_beyond_doubt(const Decision& decision, const DecisionRules& rules);

/// Two digits behind the point for small numbers, none for large ones.
std::string in_digits(double value);

/// "the origin", "node 3".
std::string node_name(uint32_t node);

/// "nodes 0, 2, 3".
std::string node_names(NodeSet set);

} // namespace hetmp::schedulers
