// Tasks that one node hands over to another. See global_level.hpp.
#pragma once

#include "runtime/global/handover.hpp"
#include "runtime/global/team_description.hpp"

#include <cstdint>

namespace hetmp::runtime {

class NodeTasks {
 public:
  /// How many nodes of the team wait at a barrier.
  virtual uint32_t idle_nodes(const TeamDescription& part) = 0;
  /// Offers tasks of this node to one that waits at a barrier of the team. Nobody waits for the answer: each task comes
  /// back, executed or not, through come_back()
  /// (tasking/away_tasks.hpp).
  virtual void offer_tasks(const TeamDescription& part, const Handover& tasks) = 0;
  /// A task that node `origin` handed over has been executed here, its descendants as well, in that time.
  virtual void return_task(const TeamDescription& part, uint32_t origin, uint32_t slot, uint64_t nanoseconds) = 0;

 protected:
  ~NodeTasks() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
