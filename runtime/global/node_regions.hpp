// Teams on several nodes: how their parts begin and end. See global_level.hpp.
#pragma once

#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeRegions {
 public:
  /// Starts the part of a team on another node. Called by the team's primary thread.
  virtual void start(const TeamDescription& part) = 0;

  /// End of the region: node 0 waits for all others, the others do not wait. `unplaced`: the region had loops that are
  /// divided without asking, so nobody knows which nodes they need.
  virtual void join(const TeamDescription& part, uint64_t sequence, bool unplaced) = 0;

 protected:
  ~NodeRegions() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
