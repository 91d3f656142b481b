#include "schedulers/learning/visit_times.hpp"

#include "schedulers/learning/node_knowledge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// A visit that takes less than this part of the one before shows that pages still settle,
constexpr double settling_part = 0.8;
/// but not for ever: so many are enough.
constexpr uint32_t enough_visits = 5;

/// Until the last node was ready, with all nodes' iterations.
struct Elapsed {
  double us = 0;
  double iterations = 0;
};

/// Of nodes that have some iterations.
Elapsed elapsed_of(const std::vector<NodeMeasurement>& nodes) {
  Elapsed result;
  for (const NodeMeasurement& node : nodes)
    if (believable(node)) {
      result.iterations += static_cast<double>(node.iterations);
      result.us = std::max(result.us, node.thread_us / node.threads);
    }
  return result;
}

double alone_us_per_iteration(const NodeMeasurement& node) {
  return knowledge_from(node).alone_us_per_iteration() / node.threads;
}

bool has_iterations(const std::vector<NodeMeasurement>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), believable);
}

} // namespace

void VisitTimes::take(const std::vector<NodeMeasurement>& wholes) {
  if (!has_iterations(wholes))
    return;
  const Elapsed whole = elapsed_of(wholes);
  VisitTime seen{whole.us / whole.iterations, {}};
  for (size_t i = 0; i < wholes.size(); ++i)
    seen.alone_us.push_back(believable(wholes[i])         ? alone_us_per_iteration(wholes[i])
                            : i < latest_.alone_us.size() ? latest_.alone_us[i]
                                                          : std::numeric_limits<double>::infinity());
  before_ = std::exchange(latest_, std::move(seen));
  ++visits_;
  timed_us_ = timed_iterations_ = 0;
}

void VisitTimes::take_shares(const std::vector<NodeMeasurement>& shares) {
  if (!has_iterations(shares) || visits_ < 2)
    return;
  const Elapsed share = elapsed_of(shares);
  timed_iterations_ += share.iterations;
  timed_us_ += share.us;
  latest_.elapsed_us = before_.elapsed_us = timed_us_ / timed_iterations_;
}

bool VisitTimes::known() const {
  return visits_ >= enough_visits || (visits_ > 2 && latest_.elapsed_us >= settling_part * before_.elapsed_us);
}

double VisitTimes::least_elapsed_us() const {
  return visits_ < 3 ? latest_.elapsed_us : std::min(latest_.elapsed_us, before_.elapsed_us);
}

VisitTime VisitTimes::least() const {
  VisitTime result = latest_;
  result.elapsed_us = least_elapsed_us();
  if (visits_ < 3)
    return result;
  for (size_t i = 0; i < std::min(result.alone_us.size(), before_.alone_us.size()); ++i)
    result.alone_us[i] = std::min(result.alone_us[i], before_.alone_us[i]);
  return result;
}

} // namespace hetmp::schedulers
