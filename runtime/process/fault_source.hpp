// Where measured loops learn how many DSM faults this node has taken, and what else its threads wait for other nodes
// for.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

/// Of this node since start; only grow.
struct NodeFaults {
  uint64_t read_misses = 0;
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t asked_locks = 0; ///< that another node may have had
};

/// Without a DSM there are none.
NodeFaults node_faults();

} // namespace hetmp::runtime
