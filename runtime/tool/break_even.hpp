// What the curves of a calibration say: from which fault period a second node pays, and what a fault costs.
// Pure functions.
#pragma once

#include "perf/profile.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace hetmp::tool {

/// A place on the curves.
struct BreakEven {
  double operations_per_byte = 0;
  double fault_period_us = 0;
};

/// The points with all values positive and finite: those that a logarithmic axis has a place for.
std::vector<perf::CalibrationPoint> usable_points(const std::vector<perf::CalibrationPoint>& points);

/// Where two nodes become faster than the pages' home alone: the gain crosses 1. Between points the
/// logarithms are interpolated. More work for each page can only help, so gains are first made to ascend (the
/// closest ascending curve to their logarithms takes their place): one disturbed point neither makes nor
/// hides a break-even. If even the first point gains, that is the answer; nothing if none does. `points`
/// ascend in operations.
std::optional<BreakEven> find_break_even(const std::vector<perf::CalibrationPoint>& points);

/// The paper's criterion (section 3.4): where throughput comes close to its maximum, here to the share
/// `close` of it. The median of the last quarter of the points counts as the maximum.
std::optional<BreakEven> find_saturation(const std::vector<perf::CalibrationPoint>& points, double close = 0.9);

/// Microseconds that a fault keeps the thread that takes it: elapsed time less the time the operations need
/// at the throughput of the last points; the median over the points at which that is the smaller part. 0 if
/// there is none.
double mean_fault_cost(const std::vector<perf::CalibrationPoint>& points, uint32_t threads);

/// One node's part of what the calibration program printed.
struct Curve {
  uint32_t node = 0;
  uint32_t threads = 0;
  double speed = 0; ///< of one of its threads, an origin's being 1
  std::vector<perf::CalibrationPoint> points;
  double cpu_share = 1; ///< part of the time in which the origin had a CPU when it wanted one
};

/// Takes one line of the calibration program's output into `curves`; false if it is not one. A point belongs
/// to a node whose line came before. Sets `complete` at the last line.
bool read_calibration_line(std::string_view line, std::vector<Curve>& curves, bool& complete);

} // namespace hetmp::tool
