// What something may lose that goes on for a while: little at first, and once it is known to last, a share of what a
// run of that length allows. Pure.
#pragma once

#include <algorithm>
#include <limits>

namespace hetmp {

/// All in microseconds.
struct GrowingAllowance {
  double first_us = 0;
  double later_after_us = std::numeric_limits<double>::infinity(); ///< after its beginning
  double later_us = 0;    ///< then: so much, less what has been lost before it began,
  double later_grows = 0; ///< and this share of the time since it began

  /// In all, until so long after its beginning.
  double at(double after_us) const {
    return after_us < later_after_us ? first_us : std::max(first_us, later_us + later_grows * after_us);
  }
  /// How long after its beginning that is at least so much; infinite: never.
  double when(double wanted_us) const {
    if (wanted_us <= first_us)
      return 0;
    if (wanted_us <= later_us)
      return later_after_us;
    if (later_grows <= 0)
      return std::numeric_limits<double>::infinity();
    return std::max(later_after_us, (wanted_us - later_us) / later_grows);
  }
};

} // namespace hetmp
