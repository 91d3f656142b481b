// Barriers of teams on several nodes. See global_level.hpp.
#pragma once

#include "runtime/global/handover.hpp"
#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeBarriers {
 public:
  /// Waits until every node of the team is here; the answer has the bitwise OR of all nodes' words (copyprivate
  /// pointers, flags). Everything written before by any node is visible after. `site`: the place in the program, or
  /// null. A node that still has tasks may give this one some while it waits.
  virtual NodesMeeting barrier(const TeamDescription& part, uint64_t sequence, uint64_t word,
                               const void* site = nullptr) = 0;

 protected:
  ~NodeBarriers() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
