// Visits of regions as the ledger of journeys sees them, in virtual time.
#pragma once

#include "schedulers/placement/travel_ledger.hpp"
#include "tests/unit/placement/program.hpp"

namespace hetmp::schedulers {

/// What visits of a region are.
struct Kind {
  double home_us;                  ///< at home
  double away_us;                  ///< with a stay,
  TravelLedger::Visit stay;        ///< which is this
  double waited_there_us = 0;      ///< by those at home in such a visit, and is in `away_us`
  double waited_afterwards_us = 0; ///< by those at home in the time to the next visit
};

/// Virtual time, and the waits of threads at home.
struct World {
  TravelLedger ledger;
  double now_us = grown_us, waited_us = 0;

  /// Returns whether it travelled.
  bool visit(uint64_t region, const Kind& kind) {
    const auto permit = ledger.begin(region, now_us, waited_us);
    const bool travels = permit.travels && permit.allowance.first_us > 0; // else a visit of these is over before
    pass(travels ? kind.away_us : kind.home_us, travels ? kind.waited_there_us : 0);
    ledger.end(region, now_us, waited_us, travels ? kind.stay : TravelLedger::Visit{});
    if (travels)
      pass(kind.waited_afterwards_us, kind.waited_afterwards_us);
    return travels;
  }
  /// Visits until one travels.
  bool travels_at_last(uint64_t region, const Kind& kind) {
    for (int i = 0; i < 10; ++i)
      if (visit(region, kind))
        return true;
    return false;
  }
  void pass(double us, double waited) {
    now_us += us;
    waited_us += waited;
  }
  const TravelLedger::Region& region(uint64_t number) const { return ledger.regions().at(number); }
};

inline constexpr Kind gaining{20'000, 11'000, {.stays = 1, .abroad_us = 10'000, .computed_us = 9500, .pages = 10}};
inline constexpr Kind losing{20'000, 24'000, {.stays = 1, .abroad_us = 4000, .computed_us = 500, .pages = 200}};

} // namespace hetmp::schedulers
