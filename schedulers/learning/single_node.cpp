#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::schedulers {
namespace {

/// Cache misses that differ by less count as equal.
constexpr double smallest_difference_of_misses = 1.1;
/// Without counters another node than the origin has to be so many times better: the program's data and its
/// serial part live on the origin, and CPU time alone does not tell how much of it went into waiting for the
/// caches. Nor does it tell anything on a first visit, when caches and memories are cold: to follow it would move all
/// data.
constexpr double worth_leaving_the_origin = 1.25;
/// CPU time of a node's probe: what a shorter one takes is that of a cold cache or of an interrupt, and twice as long
/// the next time.
constexpr double shortest_telling_us = 500;

struct Weighing {
  const std::vector<NodeKnowledge>& nodes;
  NodeSet candidates;
  const Decision& decision;
  const DecisionRules& rules;
  const bool too_short = rules.speeds.empty() && !all_are_long();

  bool all_are_long() const {
    return std::all_of(candidates.begin(), candidates.end(), [this](uint32_t i) {
      return nodes[i].busy_us_per_iteration * nodes[i].iterations >= shortest_telling_us;
    });
  }

  /// Where a probe was too short to tell nodes apart, only what quotas grant does.
  double of(uint32_t node) const {
    return too_short ? nodes[node].threads / nodes[node].throttled : throughput(nodes, decision, rules, node);
  }

  /// The greatest throughput; among those that a probe cannot tell apart the lowest number.
  uint32_t fastest() const {
    double best = 0;
    for (const uint32_t i : candidates)
      best = std::max(best, of(i));
    for (const uint32_t i : candidates)
      if (of(i) * smallest_difference >= best)
        return i;
    return 0; // there is a best one
  }

  /// The fewest misses per instruction; among equals the least time of a thread, then the lowest number.
  /// Times that a probe cannot tell apart are equal too: noise does not move a loop away from the origin.
  uint32_t calmest() const {
    const double limit = least([&](uint32_t i) { return nodes[i].misses_per_kilo_instruction; }, candidates) *
                         smallest_difference_of_misses;
    NodeSet equal;
    for (const uint32_t i : candidates)
      if (nodes[i].misses_per_kilo_instruction <= limit)
        equal.add(i);
    const auto time = [&](uint32_t i) { return nodes[i].threads / of(i); };
    const double shortest = least(time, equal);
    for (const uint32_t i : equal)
      if (time(i) <= shortest * smallest_difference)
        return i;
    return 0; // there is a shortest one
  }

  template <class Value> double least(Value value, NodeSet set) const {
    double result = std::numeric_limits<double>::infinity();
    for (const uint32_t i : set)
      result = std::min(result, value(i));
    return result;
  }

  SingleNode by_misses() const {
    const double misses = decision.misses_per_kilo_instruction;
    const std::string text = in_digits(misses) + " cache misses per thousand instructions, ";
    const std::string threshold = in_digits(rules.misses_threshold);
    if (misses < rules.misses_threshold)
      return {fastest(), text + "below " + threshold + ": the greatest throughput"};
    const uint32_t node = calmest();
    return {node, text + "not below " + threshold + ": the fewest of them, " +
                      in_digits(nodes[node].misses_per_kilo_instruction)};
  }

  SingleNode without_counters() const {
    const std::string by_time = too_short ? "quotas, as the probes were short," : "CPU time";
    const std::string weighed = rules.speeds.empty() ? by_time : "the given speeds";
    const std::string text = "cache misses are not counted, weighed by " + weighed + " instead, ";
    const uint32_t best = fastest();
    if (!candidates.contains(0))
      return {best, text + "the greatest throughput"};
    if (best == 0)
      return {0, text + "no node has a greater throughput"};
    if (rules.speeds.empty() && nodes[0].cold)
      return {0, text + "and the origin keeps a loop at first"};
    const double times = of(best) / of(0);
    return {times >= worth_leaving_the_origin ? best : 0,
            text + node_name(best) + " has " + in_digits(times) + " times the origin's throughput, " +
                in_digits(worth_leaving_the_origin) + " are worth leaving it"};
  }
};

} // namespace

double throughput(const std::vector<NodeKnowledge>& nodes, const Decision& decision, const DecisionRules& rules,
                  uint32_t node) {
  if (!rules.speeds.empty())
    return nodes[node].threads * decision.speed[node];
  return nodes[node].threads / finite_us(nodes[node].alone_us_per_iteration());
}

SingleNode best_single_node(const std::vector<NodeKnowledge>& nodes, NodeSet candidates, const Decision& decision,
                            const DecisionRules& rules) {
  const NodeSet measured = measured_of(nodes, candidates);
  const Weighing weighing{nodes, measured.empty() ? candidates : measured, decision, rules};
  return decision.misses_per_kilo_instruction >= 0 ? weighing.by_misses() : weighing.without_counters();
}

} // namespace hetmp::schedulers
