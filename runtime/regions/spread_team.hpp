// The part of a team on several nodes that another node's thread has started here.
#pragma once

#include "runtime/global/team_description.hpp"

namespace hetmp::runtime {

/// Runs this node's part of a team that another node's thread started, with the calling thread as its first one.
/// Returns after the global join. The calling thread should be one that does nothing else.
void run_node_part(const TeamDescription& part);

/// Has a worker of node `part.node` inside this process run the part; returns at once. Ends the program if there is no
/// thread for it: the other nodes already count on this one.
void launch_node_part(const TeamDescription& part);

} // namespace hetmp::runtime
