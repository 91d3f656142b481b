// What a run's experiments may lose in all: a share of the run so far, and some time besides. A short run, which would
// lose much by that, has it little by little. Pure.
#pragma once

#include <algorithm>

namespace hetmp {

/// All in microseconds.
struct ExperimentBudget {
  double share = 0.03;      ///< of the run so far,
  double base_us = 100'000; ///< and besides,
  double soon = 0.125;      ///< but of that no more than this share of the run so far

  double at(double run_us) const { return share * run_us + std::min(base_us, soon * run_us); }
  /// The same for what an earlier run speaks for: nothing is held back of a short run's.
  double at_once(double run_us) const { return share * run_us + base_us; }
  /// How long the run is when it is that much. `share` is not 0.
  double when(double us) const {
    const double while_soon_us = us / (share + soon);
    return soon * while_soon_us <= base_us ? while_soon_us : (us - base_us) / share;
  }
};

} // namespace hetmp
