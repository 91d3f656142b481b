// Hierarchical static (the paper, section 3.1): a contiguous share for each node by its core speed ratio and
// its threads, divided equally within the node. Every node, and every thread, computes the same shares
// without asking anybody.
#pragma once

#include "schedulers/policies/policy.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Core speed ratios given by the user (HETMP_CSR): element i is node i's, and counts for each of its
/// threads. Any real numbers from 0 up, at least one above 0; 0 = the node gets nothing. Fewer than there are
/// nodes: the rest count 1. Empty: all 1.
struct CoreSpeeds {
  std::vector<double> of_node;

  double operator[](uint32_t node) const { return node < of_node.size() ? of_node[node] : 1.0; }
  /// Every node's threads count the same, however many nodes there are: all are 1.
  bool all_equal() const;
};

/// Node `node`'s share of a loop; empty for a node without threads. If no node that has threads has speed,
/// all count alike.
Range node_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node);

/// Thread `thread` (0 .. threads-1 of its node) of `node`'s share of a loop. With equal speeds this is the
/// share that static_share() gives to the thread's number in the whole team, so that a team on several nodes
/// divides a loop exactly as one on a single node does.
Range thread_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node, uint32_t thread);

} // namespace hetmp::schedulers
