// Which nodes the teams of a parallel region need. A region all of whose loops have been decided for some of the nodes
// runs without the others: they would only take part in its barriers (the paper, section 3.2: threads of a node that is
// not used are joined).
#pragma once

#include "base/node_set.hpp"

namespace hetmp::runtime {

/// For a thread about to start a team: the nodes that teams of this region need now. Now and then it is all of them
/// again, at growing intervals, so that decisions can be seen to hold still.
NodeSet nodes_for_region(const void* microtask);

/// Told by the global level at the end of such a team; one caller at a time.
void publish_needed_nodes(const void* microtask, NodeSet nodes);

/// From now on teams are where they have been so far: the program has variables of which each thread keeps its own, and
/// thread numbers must therefore stay with the same threads. Node 0 decides, and learns it of other nodes at the end of
/// the region (Request::Join).
void keep_threads_where_they_are();

/// Whether somebody has said so.
bool threads_stay_where_they_are();

/// From now on regions that are placed by what is known of them stay on node 0, each member a thread of its own: there
/// is code that only node 0 can execute, or something is kept for each thread by code that knows nothing of OpenMP.
void bind_threads_to_origin();

/// From now on regions that are placed by what is known of them stay on node 0: the program has set something that only
/// that process has.
void keep_regions_at_home();
bool regions_stay_at_home();

/// Whether somebody has said so of threads, or threads_stay_where_they_are().
bool threads_are_bound();

} // namespace hetmp::runtime
