// Loops whose iterations are divided between nodes. See global_level.hpp.
#pragma once

#include "runtime/global/loop_identity.hpp"
#include "runtime/global/team_description.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// A node's question about a loop it is in.
struct LoopQuestion {
  LoopIdentity identity;
  schedulers::Schedule schedule;
  uint64_t trips = 0;
  schedulers::NodeMeasurement done; ///< since the node's last question
};

class NodeLoops {
 public:
  /// What this node does next with a loop (schedulers/policies/policy.hpp). May take until other nodes have come, or
  /// need help.
  virtual schedulers::Assignment ask_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) = 0;
  /// What this node measured over its last assignment, if it was to. Nobody waits for it.
  virtual void report_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) = 0;

  /// `ordered` across nodes: waits until iteration `index` (counted from 0) of loop `loop` is the next one;
  /// post makes `next` the next one.
  virtual void ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) = 0;
  virtual void ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) = 0;

 protected:
  ~NodeLoops() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
