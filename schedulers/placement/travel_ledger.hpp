// Of which regions at home threads go on elsewhere, and when (dsm/migration): what their stays there brought, and what
// they cost. One object for a program. Pure: times are brought to it.
//
// A thread that is away can be called back at any time, so nothing has to be known of a region beforehand: it is tried
// when a visit has lasted a while. What a stay brings is what was computed there, since the CPUs at home had that much
// less to do. It costs the way, what was waited for pages there, and the faults of threads at home, which want their
// pages back, until the region is visited again. Its first visits move its data, so a region is tried for a few of
// them, as long as each loses clearly less than the one before, or most of what it has fetched stays there; then it
// stays at home for a while, ever longer. What an earlier run has taught can be recalled: threads of a region that
// gained depart soon from its first visit on, and one that lost rests first as long as it did then.
#pragma once

#include "schedulers/placement/lessons.hpp"

#include <cstdint>
#include <map>

namespace hetmp::schedulers {

struct TravelRules {
  double unknown_us = 2000;      ///< a visit of a region that nobody knows lasts so long before its threads depart
  double known_us = 50;          ///< of one that is known to gain
  double way_us = 500;           ///< of a stay
  double fault_us = 60;          ///< of a thread at home
  uint32_t visits_to_try = 5;    ///< then the last one has to gain,
  double improves = 0.7;         ///< and before, each has to lose less than this share of what the last one lost
  double first_rest_us = 20'000; ///< at home, when it did not
  double rest_growth = 3;
  double longest_rest = 0.1;  ///< share of the run so far
  double taken_back = 0.3;    ///< of the pages that were fetched: if those at home want fewer, the rest stays there
  double budget_share = 0.03; ///< of the run so far, that stays may lose,
  double budget_base_us = 100'000; ///< and besides
  double heavy = 0.2;              ///< a region with this share of the run
  double heavy_allowance = 0.4;    ///< may lose this share of what is left of the budget in one stay,
  double allowance = 0.05;         ///< and others this one
  double least_allowance_us = 2000;
};

class TravelLedger {
 public:
  explicit TravelLedger(const TravelRules& rules = {}) : rules_(rules) {}

  /// What earlier runs have taught. Before the first visit.
  void recall(JourneyLessons lessons) { recalled_ = std::move(lessons); }
  /// What this run teaches of the regions that it has met.
  JourneyLessons lessons() const;

  struct Permit {
    bool travels = false;
    double delay_us = 0;     ///< after the visit's beginning
    double allowance_us = 0; ///< that a stay may lose before it is ended
  };
  /// A visit of the region begins. `faults`: of threads at home so far, because pages are elsewhere.
  Permit begin(uint64_t region, double now_us, uint64_t faults);

  /// What all journeys of one visit were.
  struct Visit {
    uint32_t stays = 0;
    double abroad_us = 0;
    double computed_us = 0; ///< of those
    uint64_t pages = 0;     ///< fetched meanwhile
  };
  /// The visit that began last is over.
  void end(uint64_t region, double now_us, uint64_t faults, const Visit& visit);

  struct Region {
    uint64_t all_visits = 0;
    double spent_us = 0; ///< in all of them
    uint32_t visits = 0; ///< with stays
    uint64_t stays = 0;
    double abroad_us = 0;
    double computed_us = 0;
    uint64_t pages = 0;
    double gained_us = 0; ///< less than 0: lost
    uint32_t tried = 0;   ///< visits of the trial in hand
    bool pays = false;
    double rests_until_us = 0;

   private:
    friend class TravelLedger;
    double begun_us_ = 0;
    double afterwards_us_ = 0; ///< what its last visits have cost since
    double rest_us_ = 0;
    double last_gain_us_ = 0; ///< of a visit of the trial in hand
    uint32_t losses_ = 0;     ///< visits one after the other that have lost, of a region that pays
    bool promises_ = false;   ///< it paid in an earlier run
  };
  const std::map<uint64_t, Region>& regions() const { return regions_; }
  /// What visits have lost that lost, less what the others gained; at least 0.
  double lost_us() const { return lost_us_; }

 private:
  double budget_left_us(double now_us) const;
  void charge(uint64_t faults);
  void rest(Region& region, double now_us);
  Region& meet(uint64_t region);

  const TravelRules rules_;
  std::map<uint64_t, Region> regions_;
  JourneyLessons recalled_;
  Region* last_ = nullptr; ///< of those with stays, visited last
  uint64_t faults_ = 0;    ///< that have been charged
  double lost_us_ = 0;
};

} // namespace hetmp::schedulers
