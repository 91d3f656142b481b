#include "schedulers/placement/travel_ledger.hpp"

#include <algorithm>

namespace hetmp::schedulers {

double TravelLedger::budget_left_us(double now_us) const {
  return rules_.budget_base_us + rules_.budget_share * now_us - lost_us_;
}

/// Faults at home are charged to the region whose threads were away last.
void TravelLedger::charge(uint64_t faults) {
  const double cost_us = double(faults - faults_) * rules_.fault_us;
  faults_ = faults;
  if (!last_)
    return;
  last_->afterwards_us_ += cost_us;
  last_->gained_us -= cost_us;
  lost_us_ += cost_us;
}

/// On its first visit, what an earlier run has found. Budgets hold for a region that promises as for an unknown one.
TravelLedger::Region& TravelLedger::meet(uint64_t region) {
  const auto [place, is_new] = regions_.try_emplace(region);
  const auto lesson = is_new ? recalled_.find(region) : recalled_.end();
  if (lesson == recalled_.end() || lesson->second.age >= oldest_lesson)
    return place->second;
  place->second.promises_ = lesson->second.paid;
  if (!lesson->second.paid)
    place->second.rests_until_us = place->second.rest_us_ = lesson->second.rest_us;
  return place->second;
}

JourneyLessons TravelLedger::lessons() const {
  JourneyLessons lessons;
  for (const auto& [name, region] : regions_) {
    const auto before = recalled_.find(name);
    const bool is_decided = region.pays || region.rest_us_ > 0;
    if (region.visits != 0 && is_decided) {
      lessons[name] = {region.pays, region.gained_us / double(region.visits), region.pays ? 0 : region.rest_us_, 0};
    } else if (before != recalled_.end() && before->second.age < oldest_lesson) {
      lessons[name] = before->second;
      lessons[name].age = region.visits != 0 ? 0 : before->second.age + 1;
    }
  }
  return lessons;
}

TravelLedger::Permit TravelLedger::begin(uint64_t region, double now_us, uint64_t faults) {
  charge(faults);
  Region& known = meet(region);
  known.begun_us_ = now_us;
  const double left_us = budget_left_us(now_us);
  if (now_us < known.rests_until_us || (!known.pays && left_us <= 0))
    return {};
  const double share = known.spent_us >= rules_.heavy * now_us ? rules_.heavy_allowance : rules_.allowance;
  return {true, known.pays || known.promises_ || known.tried != 0 ? rules_.known_us : rules_.unknown_us,
          std::max(share * left_us, rules_.least_allowance_us)};
}

void TravelLedger::rest(Region& region, double now_us) {
  const double longest_us = std::max(region.rest_us_, rules_.longest_rest * now_us); // a recalled rest may be longer
  region.rest_us_ = std::max(rules_.first_rest_us, std::min(region.rest_us_ * rules_.rest_growth, longest_us));
  region.rests_until_us = now_us + region.rest_us_;
  region.pays = region.promises_ = false;
  region.tried = region.losses_ = 0;
}

void TravelLedger::end(uint64_t region, double now_us, uint64_t faults, const Visit& visit) {
  Region& known = regions_[region];
  known.all_visits++;
  known.spent_us += now_us - known.begun_us_;
  if (visit.stays == 0)
    return charge(faults);
  last_ = &known;
  charge(faults);
  const double waited_us = std::max(0.0, visit.abroad_us - visit.computed_us);
  const double there_us = visit.computed_us - waited_us - visit.stays * rules_.way_us;
  const double gain_us = there_us - known.afterwards_us_; // since it was visited last, and in this visit
  const bool lasts = known.afterwards_us_ < rules_.taken_back * double(visit.pages) * rules_.fault_us;
  known.afterwards_us_ = 0;
  known.visits++;
  known.stays += visit.stays;
  known.abroad_us += visit.abroad_us;
  known.computed_us += visit.computed_us;
  known.pages += visit.pages;
  known.gained_us += there_us;
  lost_us_ = std::max(0.0, lost_us_ - there_us);
  if (known.pays) {
    known.losses_ = gain_us < 0 ? known.losses_ + 1 : 0;
    if (known.losses_ >= rules_.visits_to_try)
      rest(known, now_us);
    return;
  }
  known.tried++;
  if (gain_us > 0) {
    known.pays = true;
    known.losses_ = 0;
    known.rest_us_ = 0;
    return;
  }
  const bool improves = known.tried == 1 || gain_us > rules_.improves * known.last_gain_us_;
  known.last_gain_us_ = gain_us;
  const bool goes_on = lasts || (improves && known.tried < rules_.visits_to_try);
  if (!goes_on || budget_left_us(now_us) <= 0)
    rest(known, now_us);
}

} // namespace hetmp::schedulers
