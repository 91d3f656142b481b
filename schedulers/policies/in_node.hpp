// How a schedule for a node's threads is written into an assignment.
#pragma once

#include "schedulers/policies/assignment.hpp"

#include <algorithm>

namespace hetmp::schedulers {

/// Dynamic and guided become chunks on demand (of one iteration if none is given), everything else equal
/// shares.
inline void share_in_node(Assignment& assignment, const Schedule& in_node) {
  using Distribution = Assignment::Distribution;
  switch (in_node.kind) {
  case ScheduleKind::Dynamic:
    assignment.distribution = Distribution::Chunks;
    break;
  case ScheduleKind::Guided:
    assignment.distribution = Distribution::Guided;
    break;
  default:
    assignment.distribution = Distribution::EqualShares;
  }
  assignment.chunk = std::max<uint64_t>(in_node.chunk, 1);
}

} // namespace hetmp::schedulers
