// Which nodes the teams of a parallel region need. A region all of whose loops have been decided for some of the nodes
// runs without the others: they would only take part in its barriers (the paper, section 3.2: threads of a node that is
// not used are joined). And whether it has loops that policies place at all: what the user wants of such loops says
// nothing of other regions.
#pragma once

#include "base/node_set.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// For a thread about to start a team: the nodes that teams of this region need now. Now and then it is all of them
/// again, at growing intervals, so that decisions can be seen to hold still.
NodeSet nodes_for_region(const void* microtask);

/// What teams on all nodes have shown of a region's loops.
enum class PlacedLoops : uint8_t {
  Unknown,  ///< nothing: no such team has ended
  None,     ///< no policy has learned from any of them
  OnNodes,  ///< policies have, and have not decided, or for other nodes as well
  OnOrigin, ///< policies have decided for node 0; the region has other loops, too
};
PlacedLoops placed_loops_of(const void* microtask);

/// Told by the global level at the end of such a team; one caller at a time.
void publish_needed_nodes(const void* microtask, NodeSet nodes, PlacedLoops loops);

/// Kinds of loops that a policy can place: with schedule(runtime), and those that the compiler divides.
struct LoopKinds {
  bool runtime = false;
  bool compiled = false;
};
/// Those that the program seems to have. Before its first region.
void expect_loops(LoopKinds kinds);
LoopKinds expected_loops();

/// A team on node 0 alone has met a loop with schedule(runtime) that a policy would place.
void note_runtime_loop_at_home(const void* microtask);

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
