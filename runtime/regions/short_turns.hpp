// Turns of the threads of main's regions that have fewer CPUs than threads: how long they are, visit by visit.
#pragma once

#include "runtime/regions/turn_keepers.hpp"
#include "schedulers/placement/turn_length.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace hetmp::runtime {

/// For one thread, whose regions follow each other. Visits are compared by the time for which the process was executed,
/// a CPU: threads that wait by reading a flag are, whereas those that wait for pages, or are denied their CPUs by a
/// quota or another program, are not, and say nothing about turns.
class ShortTurns {
 public:
  /// A region begins on this node that has more threads than these CPUs.
  void begin(uint64_t region, const std::vector<int>& cpus);
  bool in_region() const { return region_ != 0; }
  /// It is over, and has taken so long; `compares`: nothing else has made it slower or faster. The region, if its
  /// visits take another time from now on.
  std::optional<uint64_t> end(double taken_us, uint64_t trips, bool compares);

  /// Of one region, in microseconds; 0: they are the kernel's.
  double usual_turns_of(uint64_t region) const;
  /// Of regions that have turns of their own, in microseconds.
  std::map<uint64_t, double> usual_turns_us() const;

 private:
  TurnKeepers keepers_;
  std::map<uint64_t, schedulers::TurnLength> lengths_; ///< of regions of which a visit was long enough
  uint64_t region_ = 0;                                ///< in hand; 0: none
  schedulers::TurnLength* length_ = nullptr;           ///< of that; null: it has none yet
  size_t cpus_ = 1;                                    ///< of that
  int64_t executed_before_ns_ = 0;                     ///< likewise: of the process, when it began
  bool are_kept_ = false;                              ///< by keepers, in the visit in hand
};

} // namespace hetmp::runtime
