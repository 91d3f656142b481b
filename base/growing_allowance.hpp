// What something may lose that goes on for a while: little at first, and once it is known to last, a part of what a
// run of that length allows; all of that where hardly anything else is left that could want it. Pure.
#pragma once

#include "base/experiment_budget.hpp"

#include <algorithm>
#include <limits>

namespace hetmp {

/// All in microseconds.
struct GrowingAllowance {
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Stage {
    double after_us = never; ///< after its beginning
    double part = 0;         ///< then: so much of what is left of the budget
  };

  double first_us = 0;
  Stage later{}, alone{};
  ExperimentBudget budget{};
  double begun_us = 0; ///< when it began, since the run did
  double taken_us = 0; ///< of the budget before

  /// In all, until so long after its beginning.
  double at(double time_us) const { return std::max({first_us, at(later, time_us), at(alone, time_us)}); }
  /// How long after its beginning that is at least so much; infinite: never.
  double when(double wanted_us) const {
    return wanted_us <= first_us ? 0 : std::min(when(later, wanted_us), when(alone, wanted_us));
  }

 private:
  double at(const Stage& stage, double time_us) const {
    return time_us < stage.after_us ? 0 : stage.part * (budget.at(begun_us + time_us) - taken_us);
  }
  double when(const Stage& stage, double wanted_us) const {
    if (stage.part <= 0)
      return never;
    return std::max(stage.after_us, budget.when(wanted_us / stage.part + taken_us) - begun_us);
  }
};

} // namespace hetmp
