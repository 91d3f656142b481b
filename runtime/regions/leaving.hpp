// How the threads of a node leave a region: its end is a barrier at which they help with tasks, and from which the
// workers of a team without any need not come back.
#pragma once

namespace hetmp::runtime {

struct NodeTeam;
struct Thread;

/// By a worker whose part of the region is over. It must not touch the team afterwards.
void leave_region(Thread& worker, NodeTeam& team);

/// By the primary of the node's part of the team: returns when all workers have left and no task is left.
void finish_region(Thread& primary, NodeTeam& team);

} // namespace hetmp::runtime
