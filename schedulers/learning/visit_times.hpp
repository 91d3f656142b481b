// What visits of a loop took as they were run, and what each node alone would have taken.
#pragma once

#include "schedulers/learning/measurement.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Of one visit. Per iteration of the loop, in microseconds of a visit, not of a thread.
struct VisitTime {
  double elapsed_us = 0;        ///< until the last node was ready, waits for pages included
  std::vector<double> alone_us; ///< on each node alone, without such waits, as last seen; infinity: never
};

/// The latest measured visits of one loop by a team of one shape. The first one after a change of where the loop runs
/// moves data, and counts for nothing.
class VisitTimes {
 public:
  /// `wholes`: what each node measured over all that it executed on a visit.
  void take(const std::vector<NodeMeasurement>& wholes);
  /// `shares`: what each node took for its shares on visits that were not measured but timed. Of how the loop runs they
  /// tell more than measured visits, on which nodes execute probes that they would not have. They count as the mean of
  /// all since the last measured visit: a node that is held up now and then has its part in it.
  void take_shares(const std::vector<NodeMeasurement>& shares);
  /// The loop runs elsewhere from now on: what it took there is not known.
  void begin_anew() {
    visits_ = 0;
    timed_us_ = timed_iterations_ = 0;
  }

  /// Two visits, the later of which did not take far less: pages have settled, or take long for it.
  bool known() const;
  /// One visit is known.
  bool glimpsed() const { return visits_ > 1; }
  /// The shorter one of the last two, as far as there are any; of a node alone the same.
  VisitTime least() const;
  double least_elapsed_us() const; ///< of that

 private:
  VisitTime latest_, before_;
  double timed_us_ = 0, timed_iterations_ = 0; ///< of shares since the last measured visit
  uint32_t visits_ = 0;                        ///< that were measured, the first one included
};

} // namespace hetmp::schedulers
