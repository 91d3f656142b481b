// Where the data of a simulated loop is, and what faults that causes.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace hetmp::simulation {

/// DSM faults of a loop. Both functions give faults per iteration, at its place in the loop; empty = none.
struct FaultModel {
  double fault_us = 60; ///< what each costs the thread that takes it, whatever its speed
  /// Data that belongs to the iteration: it moves when another node runs the iteration than did on the visit
  /// before (on the first visit: than the origin), and settles when the same one does.
  std::function<double(uint64_t)> own;
  /// Data that everybody reads and that is written anew on every visit by whoever runs the iterations: a node
  /// faults on the share that others wrote. It never settles while several nodes work.
  std::function<double(uint64_t)> common;
};

/// Which node ran each iteration last: its data is there. Before the first visit all is on the origin.
class DataPlaces {
 public:
  DataPlaces(const FaultModel& model, uint64_t trips, uint32_t nodes);

  /// Faults of `node` if it ran the iteration in this visit.
  double faults(uint32_t node, uint64_t iteration) const;
  /// `node` runs the iterations; their data comes to it. Returns its faults.
  double run(uint32_t node, schedulers::Range range);
  /// The visit is over: what each node has run is what it has written.
  void end_visit();

  bool faultless() const { return owner_.empty(); }
  double fault_us() const { return model_.fault_us; }
  uint32_t owner(uint64_t iteration) const { return owner_[iteration]; }

 private:
  FaultModel model_;
  uint64_t trips_;
  std::vector<uint8_t> owner_;       ///< by iteration; empty when the loop takes no faults
  std::vector<double> written_;      ///< share of the loop that each node ran on the visit before
  std::vector<uint64_t> run_so_far_; ///< iterations, this visit
};

} // namespace hetmp::simulation
