// Where a loop is to run, from what its nodes have measured (the paper, section 3.4). Pure functions of smoothed
// measurements; loop_history.hpp smooths.
#pragma once

#include "base/node_set.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hetmp::schedulers {

enum class DecisionMode : uint8_t {
  Threshold, ///< the paper's: fault period against a threshold, CSR, cache misses
  Predict,   ///< predicts the time of every candidate set of nodes and takes the least
  Speeds,    ///< all nodes, by their speeds, whatever their faults: each thread gets a share, as the program may expect
};

/// What decisions depend on besides measurements.
struct DecisionRules {
  DecisionMode mode = DecisionMode::Threshold;
  double threshold_us = 100;   ///< fault period from which several nodes pay, of the slowest interconnect between them
  double misses_threshold = 3; ///< cache misses per thousand instructions: below, a loop is bound by computing
  double fault_us = 60;        ///< what a fault costs the thread that takes it, until measured (Predict)
  uint32_t most_probes = 10;   ///< visits that are probed before the decision stands; at least 1
  double reprobe_percent = 10; ///< hetprobe-i: share of the iterations between two probes, in (0, 100]; 0 = never again
  double exchange_us = 100;   ///< what a question and its answer cost: nothing smaller than some of these is handed out
  double meeting_us = 500;    ///< what it costs that another node than the origin takes part in a visit
  Schedule in_node{};         ///< how a node's threads share what a decision gives them: static, dynamic or guided
  std::vector<double> speeds; ///< core speed ratios given by the user (see CoreSpeeds); empty = none
};

/// A node as far as it is known.
struct NodeKnowledge {
  uint32_t threads = 0; ///< 0 = not in the team
  bool measured = false;
  bool cold = false;                ///< measured on one visit only: its first, which moves what data it needs
  double iterations = 0;            ///< how many the times of a measurement are of; smoothed
  double agreeing = 1;              ///< measurements that the times are the mean of
  double us_per_iteration = 0;      ///< elapsed, of one thread
  double busy_us_per_iteration = 0; ///< executing, of one thread
  double throttled = 1;             ///< by a quota: executing takes so many times its CPU time
  double faults_per_iteration = 0;  ///< faults of the node over iterations of the node, whichever threads had them
  double faults_next_visit = 0;     ///< likewise, expected when pages go on settling as they did; Predict
  double misses_per_kilo_instruction = -1; ///< negative = not counted

  /// Microseconds of a thread that executes an iteration and waits for no page.
  double alone_us_per_iteration() const { return busy_us_per_iteration * throttled; }
  /// Microseconds of execution between two faults of the node; infinity if it took none or is not known.
  double fault_period_us() const;
};

struct Decision {
  NodeSet nodes = NodeSet::of(0); ///< these get iterations. Never empty
  std::vector<double> speed; ///< core speed ratio of each node, slowest = 1; 0 for a node without threads. Filled for
                             ///< nodes that get nothing, too
  double fault_period_us = std::numeric_limits<double>::infinity();
  double misses_per_kilo_instruction = -1;        ///< mean over the nodes; negative = not counted
  std::vector<double> predicted_us_per_iteration; ///< Predict: of each node alone, then of the chosen set;
                                                  ///< infinity where a node is not known; else empty
  std::string reason; ///< one clause with the numbers, and which criterion was replaced by what, if any

  bool uses(uint32_t node) const { return nodes.contains(node); }
  /// The only node, or -1 if there are several.
  int only_node() const;
  /// The weight of a thread of each node when iterations are divided: its speed if the node is used, else 0.
  std::vector<double> weights() const;
};

/// Decides. A node without threads is never chosen; the origin (node 0) is, if nothing speaks for another.
Decision decide(const std::vector<NodeKnowledge>& nodes, const DecisionRules& rules);

} // namespace hetmp::schedulers
