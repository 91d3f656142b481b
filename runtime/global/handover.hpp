// Tasks that one node hands over to another, as messages carry them.
#pragma once

#include "base/elf/code_id.hpp"
#include "runtime/settings/icv.hpp"

#include <cstdint>
#include <type_traits>

namespace hetmp::runtime {

/// The address of the body means the same on every node.
struct HandedTask {
  CodeId function; ///< ExplicitTask::function
  CodeId finalise; ///< ExplicitTask::finalise, or none
  uint64_t body = 0;
  uint32_t slot = 0; ///< of its record on the node that generated it (tasking/away_tasks.hpp)
  bool is_final = false;
};

/// Some tasks of one node that inherit the same ICVs.
struct Handover {
  static constexpr uint32_t most = 4;

  uint32_t origin = 0; ///< the node that generated them
  uint32_t count = 0;
  TaskIcvs icvs;
  HandedTask tasks[most];
};
static_assert(std::is_trivially_copyable_v<Handover>);

/// What a node's leader learns at a barrier.
struct NodesMeeting {
  bool over = true;  ///< all nodes have come. False: it has been given tasks, and comes again when they are done.
  uint64_t word = 0; ///< then: the bitwise OR of all nodes' words
  Handover tasks;    ///< else: at least one
};

} // namespace hetmp::runtime
