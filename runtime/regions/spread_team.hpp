// A team on several nodes, from the side of each of them.
#pragma once

#include "runtime/team/node_team.hpp"

#include <vector>

namespace hetmp::runtime {

/// Runs a region whose threads are dealt to nodes as `threads` says, by the primary on node 0 with its crew there.
void run_spread(Thread& self, NodeTeam& team, const std::vector<uint32_t>& threads);

/// Runs this node's part of a team that another node's thread started, with the calling thread as its first one.
/// Returns after the global join. The calling thread should be one that does nothing else.
void run_node_part(const TeamDescription& part);

/// Has a worker of node `part.node` inside this process run the part; returns at once. Ends the program if there is no
/// thread for it: the other nodes already count on this one.
void launch_node_part(const TeamDescription& part);

/// For a forked child.
void forget_residents();

} // namespace hetmp::runtime
