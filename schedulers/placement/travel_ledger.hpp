// Of which regions at home threads go on elsewhere, and when (dsm/migration): what their stays there brought, and what
// they cost. One object for a program. Pure: times are brought to it.
//
// A thread that is away can be called back at any time, so nothing has to be known of a region beforehand: it is tried
// when a visit has lasted a while. What a stay brings is what was computed there, since the CPUs at home had that much
// less to do. It costs the way, and the pages that were fetched and that those at home will want back. A region is
// tried for a few visits, since the first ones move its data; if the last of them does not pay, it stays at home for a
// while, ever longer.
#pragma once

#include <cstdint>
#include <map>

namespace hetmp::schedulers {

struct TravelRules {
  double unknown_us = 2000;     ///< a visit of a region that nobody knows lasts so long before its threads depart
  double known_us = 50;         ///< of one that is known to gain
  double way_us = 200;          ///< of a stay
  double page_us = 5;           ///< to fetch one back
  uint32_t visits_to_try = 4;   ///< then the last one has to pay
  double first_rest_us = 20'000; ///< at home, when it did not
  double rest_growth = 3;
  double budget_share = 0.03; ///< of the run so far, that stays may lose,
  double budget_base_us = 100'000; ///< and besides
  double least_allowance_us = 2000;
  double most_allowance_us = 50'000;
  double allowance_share = 0.2; ///< of what is left of the budget, for one stay
};

class TravelLedger {
 public:
  explicit TravelLedger(const TravelRules& rules = {}) : rules_(rules) {}

  struct Permit {
    bool travels = false;
    double delay_us = 0;     ///< after the visit's beginning
    double allowance_us = 0; ///< that a stay may lose before it is ended
  };
  /// A visit of the region begins.
  Permit begin(uint64_t region, double now_us);

  /// What all journeys of one visit were.
  struct Visit {
    uint32_t stays = 0;
    double abroad_us = 0;
    double computed_us = 0; ///< of those
    uint64_t pages = 0;     ///< fetched meanwhile
  };
  /// The visit that began last is over.
  void end(uint64_t region, double now_us, const Visit& visit);

  struct Region {
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
    double rest_us_ = 0;
    uint32_t losses_ = 0; ///< visits one after the other that have lost, of a region that pays
  };
  const std::map<uint64_t, Region>& regions() const { return regions_; }
  /// What visits have lost that lost, less what the others gained; at least 0.
  double lost_us() const { return lost_us_; }

 private:
  double budget_left_us(double now_us) const;
  double gain_us(const Visit& visit) const;
  void rest(Region& region, double now_us);

  const TravelRules rules_;
  std::map<uint64_t, Region> regions_;
  double lost_us_ = 0;
};

} // namespace hetmp::schedulers
