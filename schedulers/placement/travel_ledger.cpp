#include "schedulers/placement/travel_ledger.hpp"

#include <algorithm>

namespace hetmp::schedulers {

double TravelLedger::budget_left_us(double now_us) const {
  return rules_.budget_base_us + rules_.budget_share * now_us - lost_us_;
}

/// At home two threads that share a CPU wait for each other half of the time: so the half of what is waited for pages
/// is no loss.
double TravelLedger::gain_us(const Visit& visit) const {
  const double waited_us = std::max(0.0, visit.abroad_us - visit.computed_us);
  return visit.computed_us - waited_us - visit.stays * rules_.way_us - double(visit.pages) * rules_.page_us;
}

TravelLedger::Permit TravelLedger::begin(uint64_t region, double now_us) {
  const Region& known = regions_[region];
  const double left_us = budget_left_us(now_us);
  if (now_us < known.rests_until_us || (!known.pays && left_us <= 0))
    return {};
  const double allowance_us =
      std::clamp(rules_.allowance_share * left_us, rules_.least_allowance_us, rules_.most_allowance_us);
  return {true, known.pays || known.tried != 0 ? rules_.known_us : rules_.unknown_us, allowance_us};
}

void TravelLedger::rest(Region& region, double now_us) {
  region.rest_us_ = region.rest_us_ == 0 ? rules_.first_rest_us : region.rest_us_ * rules_.rest_growth;
  region.rests_until_us = now_us + region.rest_us_;
  region.pays = false;
  region.tried = region.losses_ = 0;
}

void TravelLedger::end(uint64_t region, double now_us, const Visit& visit) {
  if (visit.stays == 0)
    return;
  Region& known = regions_[region];
  const double gain = gain_us(visit);
  known.visits++;
  known.stays += visit.stays;
  known.abroad_us += visit.abroad_us;
  known.computed_us += visit.computed_us;
  known.pages += visit.pages;
  known.gained_us += gain;
  lost_us_ = std::max(0.0, lost_us_ - gain);
  if (known.pays) {
    known.losses_ = gain < 0 ? known.losses_ + 1 : 0;
    if (known.losses_ >= rules_.visits_to_try)
      rest(known, now_us);
    return;
  }
  known.tried++;
  if (gain > 0) {
    known.pays = true;
    known.losses_ = 0;
  } else if (known.tried >= rules_.visits_to_try || budget_left_us(now_us) <= 0) {
    rest(known, now_us);
  }
}

} // namespace hetmp::schedulers
