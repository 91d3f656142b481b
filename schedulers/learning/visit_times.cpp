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

} // namespace

void VisitTimes::take(const std::vector<NodeMeasurement>& wholes) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  VisitTime seen;
  seen.alone_us.assign(wholes.size(), unknown);
  uint64_t iterations = 0;
  for (size_t i = 0; i < wholes.size(); ++i) {
    if (!believable(wholes[i]))
      continue;
    iterations += wholes[i].iterations;
    seen.elapsed_us = std::max(seen.elapsed_us, wholes[i].thread_us / wholes[i].threads);
    seen.alone_us[i] = knowledge_from(wholes[i]).alone_us_per_iteration() / wholes[i].threads;
  }
  if (iterations == 0)
    return;
  seen.elapsed_us /= static_cast<double>(iterations);
  before_ = std::exchange(latest_, std::move(seen));
  ++visits_;
}

void VisitTimes::take_shares(const std::vector<NodeMeasurement>& shares) {
  uint64_t iterations = 0;
  double longest_us = 0;
  for (const NodeMeasurement& share : shares)
    if (believable(share)) {
      iterations += share.iterations;
      longest_us = std::max(longest_us, share.thread_us / share.threads);
    }
  if (iterations > 0 && visits_ > 1)
    latest_.elapsed_us = before_.elapsed_us = longest_us / static_cast<double>(iterations);
}

bool VisitTimes::known() const {
  return visits_ >= enough_visits || (visits_ > 2 && latest_.elapsed_us >= settling_part * before_.elapsed_us);
}

VisitTime VisitTimes::least() const {
  VisitTime result = latest_;
  if (visits_ < 3)
    return result;
  result.elapsed_us = std::min(result.elapsed_us, before_.elapsed_us);
  for (size_t i = 0; i < std::min(result.alone_us.size(), before_.alone_us.size()); ++i)
    result.alone_us[i] = std::min(result.alone_us[i], before_.alone_us[i]);
  return result;
}

} // namespace hetmp::schedulers
