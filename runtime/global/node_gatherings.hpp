// Reductions of teams on several nodes: the other nodes' leaders offer their copies, node 0's combines them with its
// own, in the order of nodes. See global_level.hpp.
#pragma once

#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeGatherings {
 public:
  /// Nodes other than 0. `copies`: an array of pointers to them, one for each variable, the same on every node. With
  /// `waits` it returns when node 0 needs them no more; otherwise at once, and they must stay until the team has met.
  virtual void offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t variables,
                            bool waits) = 0;
  /// Node 0: the copies of `node`, when they are there. Asked for in ascending order; asking for the next says that the
  /// one before has been combined.
  virtual void* take_copies(const TeamDescription& part, uint64_t sequence, uint32_t node) = 0;
  /// Node 0: all are combined. Nothing is waited for.
  virtual void release_copies(const TeamDescription& part, uint64_t sequence) = 0;

 protected:
  ~NodeGatherings() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
