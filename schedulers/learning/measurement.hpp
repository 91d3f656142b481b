// What a node measures while it runs iterations.
#pragma once

#include <cstdint>

namespace hetmp::schedulers {

/// Sums over all threads of the node, over the iterations that were finished since the node's last measurement.
struct NodeMeasurement {
  uint32_t threads = 0; ///< of the node
  uint64_t iterations = 0;
  double thread_us = 0;     ///< elapsed while executing them, waits for pages included
  double busy_us = -1;      ///< CPU time of the same: what was executed, without the time waited for pages or for a
                            ///< CPU; negative = not known, elapsed time takes its place
  double granted_cpus = 0;  ///< for whose time a control group's quota lets the node run; 0 = there is no quota
  double span_us = 0;       ///< elapsed from the answer to this question, on one clock; also if nothing was measured
  uint64_t read_misses = 0; ///< DSM faults of the node meanwhile, by kind
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t asked_locks = 0;  ///< that another node may have had: each waits for messages, as a fault does
  uint64_t instructions = 0; ///< by counters; 0 = not counted
  uint64_t cache_misses = 0; ///< by counters, whatever the user chose to stand for them

  uint64_t faults() const { return read_misses + write_misses + write_upgrades + asked_locks; }
};

/// Adds what the same node measured later. Where CPU time was not known for one of them, its elapsed time stands for
/// it.
void add(NodeMeasurement& sum, const NodeMeasurement& more);

} // namespace hetmp::schedulers
