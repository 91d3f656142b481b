// How fast a simulated node is, over time.
#pragma once

#include <vector>

namespace hetmp::simulation {

/// From `from_us` on, one thread does `speed` microseconds of work in a microsecond.
struct SpeedStep {
  double from_us = 0;
  double speed = 1;
};

/// Piecewise constant: the first step's speed holds before it, too. Without steps the speed is 1. Speeds are
/// above 0, times ascend.
class SpeedTimeline {
 public:
  SpeedTimeline() = default;
  SpeedTimeline(double speed); // NOLINT: a constant speed is the usual timeline
  explicit SpeedTimeline(std::vector<SpeedStep> steps);

  /// When a thread that begins `work_us` of work at `start_us` is done with it.
  double finish(double start_us, double work_us) const;
  /// What a thread does between two times.
  double work(double start_us, double end_us) const;
  double at(double time_us) const;
  /// The least speed from `start_us` on.
  double least_from(double start_us) const;

 private:
  std::vector<SpeedStep> steps_;
};

} // namespace hetmp::simulation
