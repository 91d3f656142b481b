// How a schedule for a node's threads is written into an assignment.
#pragma once

#include "schedulers/policies/policy_table.hpp"

#include <algorithm>

namespace hetmp::schedulers {

/// Dynamic and guided become chunks on demand (of one iteration if none is given), everything else equal
/// shares.
inline void share_in_node(Assignment& assignment, const Schedule& in_node) {
  assignment.distribution = policy_of(in_node.kind).in_node.value_or(Assignment::Distribution::EqualShares);
  assignment.chunk = std::max<uint64_t>(in_node.chunk, 1);
}

} // namespace hetmp::schedulers
