// Hierarchical static (the paper, section 3.1): a contiguous share for each node by its core speed ratio and
// its threads, divided equally within the node. Every node, and every thread, computes the same shares
// without asking anybody.
#pragma once

#include "schedulers/arithmetic/core_speeds.hpp"
#include "schedulers/arithmetic/loop_shape.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>

namespace hetmp::schedulers {

/// Node `node`'s share of a loop; empty for a node without threads. If no node that has threads has speed,
/// all count alike.
Range node_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node);

/// Thread `thread` (0 .. threads-1 of its node) of `node`'s share of a loop. With equal speeds this is the
/// share that static_share() gives to the thread's number in the whole team, so that a team on several nodes
/// divides a loop exactly as one on a single node does.
Range thread_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node, uint32_t thread);

} // namespace hetmp::schedulers
