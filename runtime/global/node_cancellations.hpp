// Regions, loops and sections of teams on several nodes that are cancelled. See global_level.hpp.
#pragma once

#include "runtime/global/heard_cancellations.hpp"
#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeCancellations {
 public:
  /// The team's other nodes hear of it, and the calling thread has not waited for them. `construct`: see
  /// heard_cancellations.hpp. `loop`: by its global name, if iterations are handed out that nobody has to learn from;
  /// no node gets more of them. 0: no such loop.
  virtual void cancel_elsewhere(const TeamDescription& part, uint32_t construct, uint64_t loop) = 0;
  /// Where the threads of the part hear of what other nodes have cancelled. Before the part begins.
  virtual const HeardCancellations& cancellations_of(const TeamDescription& part) = 0;

 protected:
  ~NodeCancellations() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
