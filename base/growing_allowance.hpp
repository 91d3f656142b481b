// What something may lose that goes on for a while: little at first, and once it is known to last, a share of what a
// run of that length allows; all of that where hardly anything else is left that could want it. Pure.
#pragma once

#include <algorithm>
#include <limits>

namespace hetmp {

/// All in microseconds.
struct GrowingAllowance {
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Stage {
    double after_us = never; ///< after its beginning
    double us = 0;           ///< then: so much, less what has been lost before it began,
    double grows = 0;        ///< and this share of the time since it began

    double at(double time_us) const { return time_us < after_us ? 0 : us + grows * time_us; }
    double when(double wanted_us) const {
      if (wanted_us <= us)
        return after_us;
      if (grows <= 0)
        return never;
      return std::max(after_us, (wanted_us - us) / grows);
    }
  };

  double first_us = 0;
  Stage later{}, alone{};

  /// In all, until so long after its beginning.
  double at(double time_us) const { return std::max({first_us, later.at(time_us), alone.at(time_us)}); }
  /// How long after its beginning that is at least so much; infinite: never.
  double when(double wanted_us) const {
    return wanted_us <= first_us ? 0 : std::min(later.when(wanted_us), alone.when(wanted_us));
  }
};

} // namespace hetmp
