// Where the loops of a program run best as a whole. Each loop's own decision takes no account of the others': where one
// loop runs on several nodes and the next one, on the same data, on one of them, pages travel on every visit, and
// neither loop's probes tell why. Pure; loop_group.hpp has the state.
#pragma once

#include "schedulers/learning/decision.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::schedulers {

/// One loop, over the visits that count.
struct LoopCost {
  double visits = 0;
  double iterations = 0;        ///< of all these visits
  double own_us = 0;            ///< of an iteration, as the loop has been run
  std::vector<double> alone_us; ///< of an iteration, were the loop on that node alone; infinity: not known
  NodeSet nodes;                ///< that it has been run on
  std::vector<double> busy_us;  ///< of an iteration, of one thread of each node; 0: not known
  std::vector<double> faults;   ///< of an iteration of each node
};

/// The same loops, all at one place or another, in microseconds of all their visits.
struct TogetherCosts {
  double own_us = 0;            ///< as they have been run
  std::vector<double> alone_us; ///< all on that node; infinity: not known
  double divided_us = 0;        ///< all divided at one place, if no page travelled; infinity: not known
  std::vector<double> speed;    ///< core speed ratios of all the work together, by which it would be divided
  double fault_period_us = 0;   ///< of all the work together, as of one loop; infinity: no faults
  bool mixed = false;           ///< not all have been run on the same nodes
  bool undivided = false;       ///< some have not been run on several nodes, or there is more than one
};

/// `threads`: of each node. Nodes that any of the loops knows nothing of are left out of `divided_us`.
TogetherCosts costs_together(const std::vector<LoopCost>& loops, const std::vector<uint32_t>& threads,
                             const DecisionRules& rules);

enum class Together : uint8_t {
  AsTheyAre, ///< no place for all of them is better than their own
  OnOneNode, ///< all on one node
  Divided,   ///< on all nodes, divided at the same place: to be tried
};

struct TogetherChoice {
  Together place = Together::AsTheyAre;
  uint32_t node = 0; ///< OnOneNode; of Divided, the one that is best if that fails
};

/// `divided_was_tried`: it is not proposed again. Under DecisionMode::Speeds, nothing is left to one node.
TogetherChoice choose_together(const TogetherCosts& costs, bool divided_was_tried, const DecisionRules& rules);

/// What a trial has shown, `costs` being of its visits, `untried` of those before it.
TogetherChoice judge_divided(const TogetherCosts& costs, const TogetherCosts& untried, const DecisionRules& rules);

/// Loops that have been run divided take less than they would on one node.
bool pays_divided(const TogetherCosts& costs);

/// The node that is best for all of them, the origin unless another one is clearly better.
uint32_t best_node_together(const TogetherCosts& costs);

} // namespace hetmp::schedulers
