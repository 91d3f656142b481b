// What a measurement says about a node.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/measurement.hpp"

namespace hetmp::schedulers {

/// Whether it can be true, and is of any iterations at all.
bool believable(const NodeMeasurement& measurement);

/// What a believable measurement alone says. Per iteration of the node: a thread does one in the threads'
/// summed time over the node's iterations.
NodeKnowledge knowledge_from(const NodeMeasurement& measurement);

} // namespace hetmp::schedulers
