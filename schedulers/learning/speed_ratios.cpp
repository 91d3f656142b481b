#include "schedulers/learning/speed_ratios.hpp"

#include "schedulers/arithmetic/core_speeds.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {
namespace {

/// Microseconds of a thread for an iteration, were all that the node ever did such iterations. A quota is not felt
/// until it is used up: with a small share a node is as fast as without any, and would then be given too large a one.
double sustained_us(const NodeKnowledge& node) {
  const double at_quota_us = node.throttled > 1 ? node.alone_us_per_iteration() : 0;
  return finite_us(std::max(node.us_per_iteration, at_quota_us));
}

std::vector<double> measured_speeds(const std::vector<NodeKnowledge>& nodes) {
  double slowest = 0;
  for (const NodeKnowledge& node : nodes)
    if (node.measured && node.threads > 0)
      slowest = std::max(slowest, sustained_us(node));
  std::vector<double> speed(nodes.size(), 0.0);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].threads > 0)
      speed[i] = nodes[i].measured ? slowest / sustained_us(nodes[i]) : 1.0;
  level_small_differences(speed);
  make_slowest_one(speed);
  return speed;
}

} // namespace

void level_small_differences(std::vector<double>& speed, double difference) {
  std::vector<size_t> order;
  for (size_t i = 0; i < speed.size(); ++i)
    if (speed[i] > 0)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return speed[a] < speed[b]; });
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const double limit = speed[order[begin]] * difference;
    double sum = 0;
    for (end = begin; end < order.size() && speed[order[end]] <= limit; ++end)
      sum += speed[order[end]];
    if (end - begin > 1)
      for (size_t i = begin; i < end; ++i)
        speed[order[i]] = sum / static_cast<double>(end - begin);
  }
}

bool make_slowest_one(std::vector<double>& speed) {
  double slowest = 0;
  for (double ratio : speed)
    if (ratio > 0 && (slowest == 0 || ratio < slowest))
      slowest = ratio;
  if (slowest > 0)
    for (double& ratio : speed)
      ratio /= slowest;
  return slowest > 0;
}

std::vector<double> core_speed_ratios(const std::vector<NodeKnowledge>& nodes, const std::vector<double>& given) {
  if (given.empty())
    return measured_speeds(nodes);
  const CoreSpeeds speeds{given};
  std::vector<double> result(nodes.size(), 0.0);
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].threads > 0 && std::isfinite(speeds[i]) && speeds[i] > 0)
      result[i] = speeds[i];
  return make_slowest_one(result) ? result : measured_speeds(nodes);
}

} // namespace hetmp::schedulers
