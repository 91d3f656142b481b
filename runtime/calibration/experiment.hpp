// One timed run of a team over the pages, and the memory it needs.
#pragma once

#include "runtime/calibration/shares.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::calibration {

/// What one thread saw; written to a page of its own when nothing is timed any more.
struct Outcome {
  uint32_t node;
  double begin_us, end_us;              ///< on one clock
  double cpu_us;                        ///< of this thread between the two
  uint64_t faults_before, faults_after; ///< of its node
  uint64_t operations;                  ///< counted by measure_speeds() only
};

/// What the threads of one node saw together.
struct NodeOutcome {
  double begin_us = 0, end_us = 0; ///< of the first to begin, of the last to end
  double thread_us = 0;            ///< elapsed, mean over its threads
  double cpu_us = 0;               ///< mean over its threads
  uint64_t faults = 0;
  double span_us() const { return end_us - begin_us; }
};

/// The team's threads, and the pages they work on.
class Experiment {
 public:
  /// Ends the program with one line if the threads are not on several nodes.
  Experiment();

  /// Shares may name this many pages from now on. Ends the program with one line if there is no memory.
  void provide_pages(size_t count);

  const std::vector<uint32_t>& node_of() const { return node_of_; }
  uint32_t nodes() const { return node_of_.back() + 1; }
  size_t threads_on(uint32_t node) const;

  /// Operations that a thread of each node does in a microsecond of CPU time while nothing travels.
  std::vector<double> measure_speeds();

  /// Each thread writes to its pages and computes on them, page by page; 0 operations: only writes.
  void run(const std::vector<Share>& shares, uint64_t operations_per_byte);

  /// Of the last run.
  NodeOutcome outcome(uint32_t node) const;

 private:
  Outcome& outcome_of(size_t thread) const;

  std::vector<uint32_t> node_of_;
  char* outcomes_; ///< one page for each thread
  char* pages_ = nullptr;
  size_t provided_ = 0;
};

} // namespace hetmp::calibration
