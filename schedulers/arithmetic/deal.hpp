// How a team's threads are dealt to the nodes it runs on.
#pragma once

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

inline constexpr uint64_t every_node = ~uint64_t(0);

/// Threads of each node for a team of `total` on the nodes whose bits are set in `participants`: in proportion to the
/// nodes' CPUs (largest remainder), at least one each. With fewer threads than participants the first `total` of them
/// get one each. Element i of the result is node i's; 0 = it is not in the team. Thread numbers are contiguous within a
/// node, in the order of nodes. Nodes from the 65th on never take part.
std::vector<uint32_t> deal_threads(uint32_t total, const std::vector<uint32_t>& cpus_per_node,
                                   uint64_t participants = every_node);

/// The bits of the nodes that have threads.
uint64_t nodes_with_threads(const std::vector<uint32_t>& threads);

} // namespace hetmp::schedulers
