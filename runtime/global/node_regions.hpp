// Teams on several nodes: how their parts begin and end. See global_level.hpp.
#pragma once

#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeRegions {
 public:
  /// Starts the part of a team on another node. Called by the team's primary thread.
  virtual void start(const TeamDescription& part) = 0;

  /// What a node has seen of its part.
  struct Seen {
    bool unplaced;  ///< loops that are divided without asking, so nobody knows which nodes they need
    uint64_t trips; ///< of the first loop that its first thread has met; 0: unknown
    bool bound;     ///< calls of what belongs to its process (Fabric::take_bound_call)
  };

  /// End of the region: node 0 waits for all others, the others do not wait. Returns there the most trips that a node
  /// has seen, and whether one has made such calls; elsewhere what was seen here.
  virtual Seen join(const TeamDescription& part, uint64_t sequence, const Seen& seen) = 0;

 protected:
  ~NodeRegions() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
