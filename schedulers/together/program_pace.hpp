// How fast a program goes on, by a clock and the visits of one of its loops.
#pragma once

#include <cstdint>
#include <limits>

namespace hetmp::schedulers {

/// The least of several intervals: what a program does only now and then, such as output, is no part of its pace, and
/// neither is what disturbs the machine for a moment.
class ProgramPace {
 public:
  /// The loop has been visited so many times, and executed so many iterations, by `now_us`.
  void look(uint64_t visits, double iterations, double now_us);
  /// Whatever was seen before counts no more.
  void begin_anew() { *this = {}; }

  uint32_t intervals() const { return intervals_; }
  uint64_t visits() const { return last_.visits - first_visits_; } ///< in all intervals
  /// From all that happens meanwhile; infinity before there is an interval.
  double us_per_iteration() const { return least_us_; }

 private:
  struct Look {
    uint64_t visits = 0;
    double iterations = 0;
    double us = 0; ///< 0: there was none
  };
  Look last_;
  uint64_t first_visits_ = 0;
  uint32_t intervals_ = 0;
  double least_us_ = std::numeric_limits<double>::infinity();
};

} // namespace hetmp::schedulers
