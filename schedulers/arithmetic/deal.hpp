// How a team's threads are dealt to the nodes it runs on.
#pragma once

#include "base/node_set.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Threads of each node for a team of `total` on the nodes of `participants`: in proportion to their
/// CPUs (largest remainder), at least one each. With fewer threads than participants the first `total` of them
/// get one each. Element i of the result is node i's; 0 = it is not in the team. Thread numbers are contiguous within a
/// node, in the order of nodes. Nodes from the 65th on never take part.
std::vector<uint32_t> deal_threads(uint32_t total, const std::vector<uint32_t>& cpus_per_node,
                                   NodeSet participants = NodeSet::all());

/// The nodes that have threads.
NodeSet nodes_with_threads(const std::vector<uint32_t>& threads);

} // namespace hetmp::schedulers
