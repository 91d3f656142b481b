// What is measured around chunks of a loop: by a thread over what it executes, by a node over an assignment.
#pragma once

#include "perf/counters.hpp"
#include "schedulers/policies/node_work.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// The calling thread's clocks and counters at one moment.
struct ThreadSnapshot {
  int64_t elapsed_ns = 0;
  int64_t busy_ns = 0; ///< CPU time
  bool counts = true;
  perf::CounterReading counted; ///< if it `counts`
};

/// Does once what would otherwise take its time inside a measurement.
void prepare_to_measure();

/// Without counters where nobody looks at them: they are in a library that is loaded for them.
ThreadSnapshot snapshot_of_thread(bool counts = true);
/// What the calling thread has used since `before`.
schedulers::ChunkMeasurement since(const ThreadSnapshot& before);

/// What threads of this node have waited for other nodes for, since start; only grow. Without a DSM it is nothing.
struct NodeFaults {
  uint64_t read_misses = 0;
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t asked_locks = 0; ///< that another node may have had
};

/// The node's state at one moment.
struct NodeSnapshot {
  int64_t elapsed_ns = 0;
  NodeFaults faults;
};

NodeSnapshot snapshot_of_node();
/// Adds what the node has met since `before` to `sum`. `before` then holds the present faults, so that none is counted
/// twice or missed, whatever happens until the next assignment.
void add_since(NodeSnapshot& before, schedulers::NodeMeasurement& sum);

} // namespace hetmp::runtime
