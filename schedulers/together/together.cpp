#include "schedulers/together/together.hpp"

#include "schedulers/learning/decision_parts.hpp"
#include "schedulers/learning/speed_ratios.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::schedulers {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// What is estimated has to be so much better than what was measured. Where loops run at different places, what was
/// measured has to be that much better: what their pages cost between them is told by no loop's time.
constexpr double better_by_estimate = 0.9;
/// What was measured both times.
constexpr double better_by_measurement = 0.95;
/// Another node than the origin has to be so much better than it.
constexpr double better_than_the_origin = 0.9;
/// Pages will travel, only less: so a trial has to promise more.
constexpr double worth_a_trial = 0.85;
/// Part of the threshold that the fault period has to reach for it: probes tell more faults than a division of all
/// loops at one place will have.
constexpr double worth_a_trial_period = 0.5;

/// All threads of all nodes on one loop, each as fast as it would be alone.
double divided_us(const LoopCost& loop, NodeSet nodes) {
  double rate = 0;
  for (const uint32_t i : nodes)
    rate += 1 / loop.alone_us[i];
  return 1 / rate;
}

/// Of the node that faults most.
double fault_period_us(const std::vector<LoopCost>& loops, const std::vector<uint32_t>& threads) {
  double shortest = unknown;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    NodeKnowledge all;
    all.threads = threads[i];
    all.measured = true;
    for (const LoopCost& loop : loops)
      if (i < loop.busy_us.size() && i < loop.faults.size()) {
        all.busy_us_per_iteration += loop.iterations * loop.busy_us[i];
        all.faults_per_iteration += loop.iterations * loop.faults[i];
      }
    if (all.threads > 0 && all.busy_us_per_iteration > 0)
      shortest = std::min(shortest, all.fault_period_us());
  }
  return shortest;
}

} // namespace

TogetherCosts costs_together(const std::vector<LoopCost>& loops, const std::vector<uint32_t>& threads,
                             const DecisionRules& rules) {
  TogetherCosts costs;
  costs.alone_us.assign(threads.size(), unknown);
  costs.speed.assign(threads.size(), 0);
  NodeSet nodes;
  for (uint32_t i = 0; i < threads.size(); ++i)
    if (threads[i] > 0 && std::all_of(loops.begin(), loops.end(), [i](const LoopCost& loop) {
          return i < loop.alone_us.size() && loop.alone_us[i] > 0 && loop.alone_us[i] < unknown;
        }))
      nodes.add(i);
  std::vector<double> work_us(threads.size(), 0); // of each node alone
  double meetings_us = 0;
  costs.divided_us = nodes.size() > 1 ? 0.0 : unknown;
  for (const LoopCost& loop : loops) {
    const double meeting_us = loop.visits * rules.meeting_us;
    meetings_us += meeting_us;
    costs.own_us += loop.iterations * loop.own_us + (loop.nodes == NodeSet::of(0) ? 0.0 : meeting_us);
    costs.mixed |= loop.nodes != loops.front().nodes;
    if (nodes.size() > 1)
      costs.divided_us += loop.iterations * divided_us(loop, nodes) + meeting_us;
    for (const uint32_t i : nodes)
      work_us[i] += loop.iterations * loop.alone_us[i];
  }
  costs.fault_period_us = fault_period_us(loops, threads);
  costs.undivided = loops.size() > 1 || (!loops.empty() && loops.front().nodes.size() == 1);
  for (const uint32_t i : nodes) {
    costs.alone_us[i] = work_us[i] + (i > 0 ? meetings_us : 0.0);
    costs.speed[i] = work_us[i] > 0 ? 1 / (work_us[i] * threads[i]) : 0;
  }
  level_small_differences(costs.speed,
                          rules.mode == DecisionMode::Speeds ? smallest_unsaid_difference : smallest_difference);
  make_slowest_one(costs.speed);
  return costs;
}

uint32_t best_node_together(const TogetherCosts& costs) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < costs.alone_us.size(); ++i)
    if (costs.alone_us[i] < costs.alone_us[best] * (best == 0 ? better_than_the_origin : 1))
      best = i;
  return best;
}

namespace {

bool stay_as_they_are(const TogetherCosts& costs, uint32_t best, const DecisionRules& rules) {
  if (rules.mode == DecisionMode::Speeds)
    return true;
  const double alone_us = costs.alone_us[best];
  return costs.mixed ? costs.own_us <= better_by_estimate * alone_us : alone_us > better_by_estimate * costs.own_us;
}

} // namespace

TogetherChoice choose_together(const TogetherCosts& costs, bool divided_was_tried, const DecisionRules& rules) {
  const uint32_t best = best_node_together(costs);
  const double alone_us = costs.alone_us[best];
  const bool promising = costs.divided_us <= worth_a_trial * std::min(alone_us, costs.own_us);
  const bool in_doubt =
      rules.mode == DecisionMode::Speeds || costs.fault_period_us >= worth_a_trial_period * decisive_period_us(rules);
  if (promising && in_doubt && costs.undivided && !divided_was_tried)
    return {Together::Divided, best};
  return {stay_as_they_are(costs, best, rules) ? Together::AsTheyAre : Together::OnOneNode, best};
}

bool pays_divided(const TogetherCosts& costs) {
  return costs.own_us <= better_by_measurement * costs.alone_us[best_node_together(costs)];
}

TogetherChoice judge_divided(const TogetherCosts& costs, const TogetherCosts& untried, const DecisionRules& rules) {
  const uint32_t best = best_node_together(costs);
  const double without = std::min(1.0, untried.own_us / untried.alone_us[best]);
  if (costs.own_us <= better_by_measurement * without * costs.alone_us[best])
    return {Together::Divided, best};
  return {stay_as_they_are(untried, best, rules) ? Together::AsTheyAre : Together::OnOneNode, best};
}

} // namespace hetmp::schedulers
