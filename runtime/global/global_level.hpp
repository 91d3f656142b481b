// What the leaders of a team's nodes do together. A team that runs on one node has no global level (a null pointer) and
// pays nothing for it. One interface for each construct, in a header of its own:
//
//   regions        node_regions.hpp        begin a team's parts on other nodes, and end them
//   barriers       node_barriers.hpp       meet
//   loops          node_loops.hpp          which iterations a node executes, and in which order
//   gatherings     node_gatherings.hpp     reductions
//   tasks          node_tasks.hpp          tasks that change their node
//   locks          node_locks.hpp          mutual exclusion
//   cancellations  node_cancellations.hpp  what is cancelled on other nodes
//
// Two implementations: nodes inside one process (nodes/in_process.cpp), node processes (nodes/messages.cpp); both drive
// the same coordinator (coordinator.hpp), a pure state machine.
//
// Rules: every operation names the team and a sequence number that all its nodes count alike (each node increments its
// own counter at each construct, in program order). At most one thread of a node is inside a given (team, sequence)
// operation. Operations block the calling thread until the answer is there.
#pragma once

namespace hetmp::runtime {

class NodeRegions;
class NodeBarriers;
class NodeCancellations;
class NodeLoops;
class NodeGatherings;
class NodeTasks;
class NodeLocks;

/// One object behind all of them, or several.
struct GlobalLevel {
  NodeRegions& regions;
  NodeBarriers& barriers;
  NodeLoops& loops;
  NodeGatherings& gatherings;
  NodeTasks& tasks;
  NodeLocks& locks;
  NodeCancellations& cancellations;
};

} // namespace hetmp::runtime
