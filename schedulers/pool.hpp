// The global pool of a loop whose nodes fetch batches of iterations on demand (cross-node dynamic and
// guided).
#pragma once

#include "schedulers/schedule.hpp"

#include <cstdint>

namespace hetmp::schedulers {

/// Hands out a loop's iterations once each, in ascending batches. Not synchronised: one owner at a time.
class IterationPool {
 public:
  IterationPool() = default; ///< an empty pool
  /// `kind` Guided shrinks batches; every other kind counts as Dynamic. `threads`: of the whole team. A chunk
  /// of 0 counts as 1.
  IterationPool(uint64_t trips, ScheduleKind kind, uint64_t chunk, uint32_t threads);

  /// The next batch for a node with `node_threads` threads: chunk x node_threads iterations (dynamic), or its
  /// threads' share of a guided chunk but never less than that (guided), or what is left. Empty: the loop is
  /// handed out.
  Range take(uint32_t node_threads);

  uint64_t remaining() const { return trips_ - next_; }

 private:
  uint64_t trips_ = 0;
  uint64_t next_ = 0; ///< invariant: exactly [0, next_) has been handed out, and next_ <= trips_
  uint64_t chunk_ = 1;
  uint32_t threads_ = 1;
  bool guided_ = false;
};

} // namespace hetmp::schedulers
