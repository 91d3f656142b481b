// Whether visits of a region have ever less to do, as those of a decomposition of a matrix do: what such a region
// usually takes was measured when it had more to do, and whatever is held against that looks like a gain.
#pragma once

#include "schedulers/placement/usual_time.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace hetmp::schedulers {

/// Of visits in one place. A region may have much to do in one visit and little in the next, like the levels of a
/// multigrid that the runtime cannot tell apart: only what stays small for longer than such a cycle counts.
class Trend {
 public:
  static constexpr double falls = 0.92;      ///< the last two visits, against the mean of UsualTime::memory
  static constexpr uint32_t in_a_row = 16;   ///< visits of which that has to be true
  static constexpr double shrinks = 0.7;     ///< that mean, against what it was at first
  static constexpr uint32_t for_longer = 32; ///< visits of which that has to be true

  Trend() = default;
  /// Of visits that take less than `at_first` as soon as their data is where they are.
  explicit Trend(double at_first) : most_at_first_(at_first) {}

  /// In microseconds, or as a ratio to what such a visit would take elsewhere: always the same.
  void add(double taken) {
    usual_.add(taken);
    recent_ = usual_.count() == 1 ? taken : (recent_ + taken) / 2;
    falling_ = recent_ < falls * usual_.mean_us() ? falling_ + 1 : 0;
    if (usual_.count() == UsualTime::memory)
      first_ = std::min(usual_.mean_us(), most_at_first_);
    shrunk_ = usual_.mean_us() < shrinks * first_ ? shrunk_ + 1 : 0;
  }

  /// What was usual a few visits ago is no more.
  bool is_falling() const { return falling_ >= in_a_row; }
  /// Likewise of what was usual at first.
  bool has_shrunk() const { return shrunk_ >= for_longer; }

 private:
  UsualTime usual_;
  double recent_ = 0;
  double most_at_first_ = std::numeric_limits<double>::infinity();
  double first_ = 0; ///< 0: not known yet
  uint32_t falling_ = 0, shrunk_ = 0;
};

} // namespace hetmp::schedulers
