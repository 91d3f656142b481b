// How much of its CPUs' time the origin gets while regions at home compute: a control group's quota, or another
// program, may deny it some. Pure. Threads that wait for anything else than each other are taken for denied as well:
// where that matters, a trial tells.
#pragma once

#include <algorithm>

namespace hetmp::schedulers {

class HomeSpeed {
 public:
  static constexpr double least_us = 20'000; ///< of regions that have been seen tell something
  static constexpr double most_us = 400'000; ///< then what was seen counts half: a quota's periods take 100 ms
  static constexpr double between_us = 1000; ///< of two short visits that are looked at; or more

  /// A visit of a region at home, and the time for which all threads of the process were executed meanwhile. `idle_us`:
  /// for so long at most there was nothing to execute, since threads were elsewhere; the share is at most what is told.
  void add(double taken_us, double executed_us, double idle_us = 0) {
    if (idle_us >= taken_us)
      return;
    seen_us_ += taken_us - idle_us;
    executed_us_ += executed_us;
    if (seen_us_ <= most_us)
      return;
    executed_us_ *= most_us / 2 / seen_us_;
    seen_us_ = most_us / 2;
  }

  /// Of the time of `cpus` CPUs; 1: all, or not known yet.
  double share(double cpus) const {
    return seen_us_ < least_us ? 1 : std::clamp(executed_us_ / (seen_us_ * cpus), 0.0, 1.0);
  }

 private:
  double seen_us_ = 0;
  double executed_us_ = 0; ///< meanwhile
};

} // namespace hetmp::schedulers
