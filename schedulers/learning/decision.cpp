#include "schedulers/learning/decision.hpp"

#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <charconv>

namespace hetmp::schedulers {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Of a set's throughput: nodes that together bring less are not worth the questions, probes and moved pages
/// they cost.
constexpr double negligible_part = 0.01;

/// The mean over the candidates, weighted by threads; negative unless every one has been counted.
double mean_misses(const std::vector<NodeKnowledge>& nodes, NodeSet candidates) {
  double threads = 0;
  double sum = 0;
  for (const uint32_t i : candidates) {
    if (!(nodes[i].misses_per_kilo_instruction >= 0))
      return -1;
    threads += nodes[i].threads;
    sum += nodes[i].misses_per_kilo_instruction * nodes[i].threads;
  }
  return threads > 0 ? sum / threads : -1;
}

/// The largest set of several nodes whose fault period is not below the threshold, found by leaving out the
/// node with the shortest period until the rest passes; empty if fewer than two would remain. The node left out
/// always is below the threshold itself, because a mean is never below its least term. That the others'
/// periods were measured while it took part is on the safe side: without it nobody faults more often.
NodeSet profitable_set(const std::vector<NodeKnowledge>& nodes, NodeSet set, double threshold_us) {
  while (set.size() > 1 && overall_fault_period(nodes, set) < threshold_us) {
    uint32_t worst = 0;
    double shortest = never;
    for (const uint32_t i : set)
      if (nodes[i].fault_period_us() <= shortest) { // among equals the last one: the origin stays
        worst = i;
        shortest = nodes[i].fault_period_us();
      }
    set.remove(worst);
  }
  return set.size() > 1 ? set : NodeSet();
}

/// Without the slowest nodes, as long as those that are left out would together do a negligible part of the
/// work. The share of a node depends on all the others', so this bounds what is lost, however many nodes
/// there are.
NodeSet without_negligible(const std::vector<NodeKnowledge>& nodes, const Decision& decision, NodeSet set) {
  std::vector<uint32_t> order;
  double total = 0;
  for (const uint32_t i : set) {
    order.push_back(i);
    total += decision.speed[i] * nodes[i].threads;
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return decision.speed[a] * nodes[a].threads < decision.speed[b] * nodes[b].threads;
  });
  double left_out = 0;
  for (uint32_t i : order) {
    left_out += decision.speed[i] * nodes[i].threads;
    if (left_out >= negligible_part * total)
      break;
    set.remove(i);
  }
  return set;
}

std::string explain_threshold(const Decision& decision, NodeSet candidates, NodeSet paying,
                              const DecisionRules& rules) {
  std::string text = "no faults";
  if (decision.fault_period_us != never) {
    text = "a fault every " + in_digits(decision.fault_period_us) + " us, ";
    text += decision.fault_period_us < rules.threshold_us ? "below" : "not below";
    text += " the threshold of " + in_digits(rules.threshold_us) + " us";
  }
  if (paying != candidates)
    text += ", which only " + node_names(paying) + " reach together";
  if (decision.nodes != paying)
    text += ", and the work of " + node_names(paying - decision.nodes) + " would be negligible";
  return text;
}

/// The paper's decision (section 3.4).
void compare_with_threshold(const std::vector<NodeKnowledge>& nodes, NodeSet candidates, const DecisionRules& rules,
                            Decision& decision) {
  if (const NodeSet paying = profitable_set(nodes, candidates, rules.threshold_us); !paying.empty()) {
    decision.nodes = without_negligible(nodes, decision, paying);
    decision.reason = explain_threshold(decision, candidates, paying, rules);
    return;
  }
  const SingleNode single = best_single_node(nodes, candidates, decision, rules);
  decision.nodes = NodeSet::of(single.node);
  decision.reason = "a fault every " + in_digits(decision.fault_period_us) + " us, below the threshold of " +
                    in_digits(rules.threshold_us) + " us, so all on " + node_name(single.node) + ": " + single.why;
}

} // namespace

/// Execution over faults: in the time in which one thread does an iteration, the node's threads do `threads`
/// of them. Time spent waiting for pages is not execution: with it, a loop that does nothing but fault would
/// show the interconnect's latency as its period, and a busy machine would make it look profitable.
double NodeKnowledge::fault_period_us() const {
  const double faults_meanwhile = faults_per_iteration * threads;
  return measured && faults_meanwhile > 0 ? busy_us_per_iteration / faults_meanwhile : never;
}

int Decision::only_node() const { return nodes.size() == 1 ? static_cast<int>(nodes.first()) : -1; }

std::vector<double> Decision::weights() const {
  std::vector<double> result = speed;
  for (uint32_t i = 0; i < result.size(); ++i)
    if (!uses(i))
      result[i] = 0;
  return result;
}

/// That of the node that faults most. The paper (section 3.4) takes the mean of the nodes' periods; but a mean over all
/// nodes lets those without faults hide any number of another's, and a mean over those that faulted depends on
/// whether a node took one fault or none.
double overall_fault_period(const std::vector<NodeKnowledge>& nodes, NodeSet set) {
  double shortest = never;
  for (const uint32_t i : set)
    if (nodes[i].threads > 0)
      shortest = std::min(shortest, nodes[i].fault_period_us());
  return shortest;
}

NodeSet nodes_with_speed(const std::vector<double>& speed) {
  NodeSet nodes;
  for (uint32_t i = 0; i < speed.size(); ++i)
    if (speed[i] > 0)
      nodes.add(i);
  return nodes;
}

NodeSet measured_of(const std::vector<NodeKnowledge>& nodes, NodeSet candidates) {
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].measured)
      candidates.remove(i);
  return candidates;
}

Decision decide(const std::vector<NodeKnowledge>& nodes, const DecisionRules& rules) {
  Decision decision;
  decision.speed = core_speed_ratios(nodes, rules.speeds);
  const NodeSet candidates = nodes_with_speed(decision.speed);
  decision.fault_period_us = overall_fault_period(nodes, candidates);
  decision.misses_per_kilo_instruction = mean_misses(nodes, candidates);
  if (rules.mode == DecisionMode::Predict)
    decision.predicted_us_per_iteration.assign(nodes.size() + 1, never);

  const bool measured = !measured_of(nodes, candidates).empty();
  if (!candidates.empty())
    decision.nodes = candidates;
  if (candidates.size() < 2)
    decision.reason = candidates.empty() ? "no node has threads" : "only one node takes part";
  else if (!measured)
    decision.reason = "nothing has been measured yet";
  else if (rules.mode == DecisionMode::Threshold)
    compare_with_threshold(nodes, candidates, rules, decision);
  else if (rules.mode == DecisionMode::Speeds) {
    level_small_differences(decision.speed, smallest_unsaid_difference);
    make_slowest_one(decision.speed);
    decision.reason = "no schedule was chosen: by speed";
  }
  if (rules.mode == DecisionMode::Predict && measured)
    predict(nodes, candidates, rules, decision);
  return decision;
}

double decisive_period_us(const DecisionRules& rules) {
  return rules.mode == DecisionMode::Predict ? rules.fault_us : rules.threshold_us;
}

bool is_beyond_doubt(const Decision& decision, const DecisionRules& rules) {
  if (rules.mode == DecisionMode::Speeds)
    return true;
  const double decisive = decisive_period_us(rules);
  return decision.fault_period_us > decisive * clear_factor || decision.fault_period_us < decisive / clear_factor;
}

std::string in_digits(double value) {
  char digits[32];
  auto [end, problem] =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, value < 10 ? 2 : 0);
  if (problem != std::errc{}) // too large for this notation
    end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 2).ptr;
  return {digits, end};
}

std::string node_name(uint32_t node) { return node == 0 ? "the origin" : "node " + std::to_string(node); }

std::string node_names(NodeSet set) { return (set.size() == 1 ? "node " : "nodes ") + to_string(set, ", "); }

} // namespace hetmp::schedulers
