#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::schedulers {
namespace {

/// Predictions that differ by less are ties.
constexpr double smallest_difference_of_predictions = 1.02;

double alone_us(const NodeKnowledge& node) { return finite_us(node.alone_us_per_iteration()); }

/// Microseconds in which one thread of a node does an iteration. As one of several nodes it executes, and
/// waits for the faults it takes itself: the node's faults are counted per iteration of the node, so an
/// iteration has that many, whichever thread has it, and each costs that thread `fault_us`. The other threads
/// go on meanwhile; where a node's faults wait for each other, that is part of the cost of one as measured.
double shared_us(const NodeKnowledge& node, double fault_us) {
  return finite_us(alone_us(node) + std::max(node.faults_next_visit, 0.0) * std::max(fault_us, 0.0));
}

struct Candidate {
  NodeSet set;
  double us_per_iteration = std::numeric_limits<double>::infinity();
};

/// Each measured node alone, without faults: its pages all come to it and stay.
std::vector<Candidate> single_nodes(const std::vector<NodeKnowledge>& nodes, NodeSet measured) {
  std::vector<Candidate> result;
  for (const uint32_t i : measured)
    result.push_back({NodeSet::of(i), alone_us(nodes[i]) / nodes[i].threads});
  return result;
}

/// The k fastest nodes, k = 2 .. N: their iterations per microsecond add up, as shares are such that all
/// finish together. A set of k nodes other than the k fastest ones cannot do more.
std::vector<Candidate> fastest_sets(const std::vector<NodeKnowledge>& nodes, NodeSet measured, double fault_us) {
  std::vector<uint32_t> order(measured.begin(), measured.end());
  const auto rate = [&](uint32_t i) { return nodes[i].threads / shared_us(nodes[i], fault_us); };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rate(a) > rate(b); });
  std::vector<Candidate> result;
  NodeSet set;
  double sum = 0;
  for (uint32_t i : order) {
    set.add(i);
    sum += rate(i);
    if (set.size() > 1)
      result.push_back({set, 1 / sum});
  }
  return result;
}

/// The first one that ties with the best.
Candidate best_of(const std::vector<Candidate>& candidates) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates)
    least = std::min(least, candidate.us_per_iteration);
  for (const Candidate& candidate : candidates)
    if (candidate.us_per_iteration <= least * smallest_difference_of_predictions)
      return candidate;
  return {};
}

std::string where(NodeSet set) { return set.size() == 1 ? node_name(set.first()) : node_names(set); }

} // namespace

/// Singles come before sets, the origin before other nodes, small sets before large ones: a tie is won by the
/// first.
void predict(const std::vector<NodeKnowledge>& nodes, NodeSet candidates, const DecisionRules& rules,
             Decision& decision) {
  const NodeSet measured = measured_of(nodes, candidates);
  const std::vector<Candidate> singles = single_nodes(nodes, measured);
  const std::vector<Candidate> sets = fastest_sets(nodes, measured, rules.fault_us);
  for (const Candidate& single : singles)
    decision.predicted_us_per_iteration[single.set.first()] = single.us_per_iteration;

  std::vector<Candidate> all = singles;
  all.insert(all.end(), sets.begin(), sets.end());
  const Candidate best = best_of(all);
  decision.nodes = best.set;
  decision.predicted_us_per_iteration.back() = best.us_per_iteration;
  if (sets.empty()) { // nothing to compare
    if (decision.reason.empty())
      decision.reason = "nothing but " + where(best.set) + " has been measured";
    return;
  }
  const Candidate rival = best.set.size() == 1 ? best_of(sets) : best_of(singles);
  decision.reason = "predicted " + in_digits(best.us_per_iteration) + " us an iteration on " + where(best.set) +
                    ", against " + in_digits(rival.us_per_iteration) + " on " + where(rival.set) +
                    ", with faults that cost " + in_digits(rules.fault_us) + " us";
}

} // namespace hetmp::schedulers
