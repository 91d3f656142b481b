#include "schedulers/placement/travel_ledger.hpp"

#include <algorithm>

namespace hetmp::schedulers {

double TravelLedger::budget_left_us(double now_us) const {
  return rules_.budget.at(now_us) - committed_us() - others_us_;
}

/// What those at home will probably wait for a page that a stay fetches.
double TravelLedger::page_us() const {
  return (rules_.page_us * rules_.pages_known + returned_us_) / (rules_.pages_known + double(pages_));
}

/// In a trial, what is to be paid yet if all the pages are wanted back.
void TravelLedger::reserve(Region& region, double cost_us) {
  reserved_us_ += cost_us - region.reserved_us_;
  region.reserved_us_ = cost_us;
}

/// Whether the visit that begins is to show how long it takes at home.
bool TravelLedger::shows_time_at_home(const Region& region) const {
  return region.all_visits != 0 && region.all_visits <= rules_.most_at_home &&
         region.visits_at_home_ < rules_.visits_at_home && !region.is_clear_ && !region.promises_;
}

/// Whether what is known of the time at home of a region that pays is old: machines are faster in one minute than in
/// the next, and where it gains little nobody could tell whether it still does.
bool TravelLedger::is_in_doubt(const Region& region) const {
  if (!region.pays || region.is_clear_)
    return false;
  if (region.shows_anew_ != 0)
    return true;
  const double home_us = at_home_us(region);
  return home_us != 0 && region.paid_visits_ >= rules_.visits_to_doubt && region.paid_us_ >= region.doubt_after_us_ &&
         region.paid_us_ >= rules_.doubtful * home_us * region.paid_visits_;
}

void TravelLedger::end_in_doubt(Region& region, bool was_quiet) {
  region.shows_anew_++;
  region.shown_anew_ += was_quiet;
  if (region.shown_anew_ < rules_.visits_at_home && region.shows_anew_ < rules_.most_at_home)
    return;
  region.shows_anew_ = region.shown_anew_ = region.paid_visits_ = 0;
  region.paid_us_ = 0;
  region.doubt_after_us_ *= 2;
}

/// Whether the region is known to be small beside one that travels. Then it may follow that one, but is not tried by
/// itself.
bool TravelLedger::may_only_follow(const Region& region) const {
  return region.all_visits != 0 && !region.pays && !region.promises_ && last_ && last_ != &region && last_->leads() &&
         region.spent_us < rules_.heavy * last_->spent_us;
}

/// What a visit of the region takes at home; 0: nobody knows, or now this and now that.
double TravelLedger::at_home_us(const Region& region) const {
  const auto [least, most] = std::minmax(region.at_home_us_[0], region.at_home_us_[1]);
  return most <= rules_.regular * least ? least : 0;
}

void TravelLedger::charge(Region& region, double cost_us) {
  region.afterwards_us_ += cost_us;
  region.gained_us -= cost_us;
  lost_us_ += cost_us;
}

/// Waits at home are charged to the region whose threads were away last.
void TravelLedger::charge(double waited_us) {
  const double cost_us = waited_us - waited_us_;
  waited_us_ = waited_us;
  if (Region* const region = to_blame()) {
    returned_us_ += cost_us;
    charge(*region, cost_us);
  }
}

void TravelLedger::others_begin(double waited_us) {
  charge(waited_us);
  are_others_ = true;
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

TravelLedger::Permit TravelLedger::begin(uint64_t region, double now_us, double waited_us) {
  charge(waited_us);
  Region& known = meet(region);
  known.begun_us_ = now_us;
  begun_waited_us_ = waited_us;
  if (!known.is_in_hand())
    reserve(known, 0);
  const double left_us = budget_left_us(now_us);
  if (known.tried != 0 && !known.pays && (left_us <= 0 || known.meets_often_))
    rest(known, now_us);
  const bool follows = known.leader_ && known.leader_->leads();
  const bool is_new = known.all_visits == 0; // it may last as long as the run: there will be something left
  if (now_us < known.rests_until_us || (!follows && !known.pays && !is_new && left_us <= 0) ||
      (known.leader_ && !follows) || (known.meets_often_ && !known.pays) ||
      (!follows && (shows_time_at_home(known) || is_in_doubt(known) || may_only_follow(known))))
    return {};
  const Region& weighed = follows ? *known.leader_ : known; // what it fetches is the leader's
  const double share = weighed.spent_us >= rules_.heavy * now_us ? rules_.heavy_allowance : rules_.allowance;
  const bool at_once = follows || known.is_in_hand() || known.promises_;
  const bool is_short = !is_new && known.spent_us < rules_.first_us * double(known.all_visits);
  if (left_to_trials_ && is_short && !follows && !known.pays && !known.promises_) {
    if (known.tried != 0)
      rest(known, now_us);
    return {};
  }
  const double allowance_us = is_new && left_us <= 0 ? 0 : std::max(share * left_us, rules_.least_allowance_us);
  if (!at_once && allowance_us < rules_.more * known.was_too_little_us_)
    return {};
  // What comes home halfway takes longest: the pages of what it has yet to do are elsewhere then.
  if (known.tried != 0 && !known.pays && !follows && allowance_us < rules_.enough * -known.last_gain_us_) {
    rest(known, now_us);
    return {};
  }
  known.departs_at_once_ = at_once;
  known.allowance_ = {.first_us = allowance_us};
  if (!follows) {
    const auto has_share_after_us = [&](double of_run) { return (of_run * now_us - known.spent_us) / (1 - of_run); };
    known.allowance_.later = {std::max(rules_.least_heavy_us, has_share_after_us(rules_.heavy)),
                              rules_.heavy_allowance};
    known.allowance_.alone = {std::max(rules_.least_alone_us, has_share_after_us(rules_.alone)), 1};
    known.allowance_.budget = rules_.budget;
    known.allowance_.begun_us = now_us;
    known.allowance_.taken_us = committed_us() + others_us_;
  }
  const double soonest_us = at_once ? rules_.known_us : is_new ? rules_.first_us : rules_.unknown_us;
  const double delay_us = std::max(soonest_us, is_new ? known.allowance_.when(rules_.least_allowance_us) : 0);
  const bool pays = follows ? known.leader_->pays : known.pays;
  const double usual_us = is_new ? 0 : known.spent_us / double(known.all_visits);
  return {true,    delay_us, known.allowance_, pays ? page_us() : std::max(page_us(), rules_.page_us),
          at_once, usual_us, known.thread_us,  known.change_us};
}

void TravelLedger::rest(Region& region, double now_us) {
  const double longest_us = std::max(region.rest_us_, rules_.longest_rest * now_us); // a recalled rest may be longer
  const double least_us = std::max(rules_.first_rest_us, std::exchange(region.trial_lost_us_, 0) / rules_.loss_again);
  region.rest_us_ = std::max(least_us, std::min(region.rest_us_ * rules_.rest_growth, longest_us));
  region.rests_until_us = now_us + region.rest_us_;
  region.pays = region.promises_ = false;
  region.tried = region.losses_ = 0;
  given_up_ = std::none_of(regions_.begin(), regions_.end(), [](const auto& one) { return one.second.is_in_hand(); });
}

void TravelLedger::end_at_home(Region& region, double taken_us, double waited_here_us, double now_us) {
  const bool was_quiet = waited_here_us <= rules_.quiet * taken_us;
  if (is_in_doubt(region))
    end_in_doubt(region, was_quiet);
  if (was_quiet) {
    region.at_home_us_[1] = region.at_home_us_[0];
    region.at_home_us_[0] = taken_us;
    region.visits_at_home_++;
    return;
  }
  // Pages that come take more than the time of those who wait for them.
  const double home_us = at_home_us(region);
  if (Region* const blamed = to_blame(); blamed && home_us != 0) {
    const double more_us = std::clamp(taken_us - home_us - waited_here_us, 0.0, rules_.most_besides * waited_here_us);
    returned_us_ += more_us;
    charge(*blamed, more_us);
  }
  const bool waits = waited_here_us >= std::max(rules_.follows * taken_us, rules_.least_wait_us);
  if (!waits || region.leader_ || now_us < region.rests_until_us || !last_ || last_ == &region || !last_->leads())
    return;
  region.leader_ = last_;
  region.waiting_us_ = taken_us;
  region.losses_ = 0;
  last_->followers_++;
}

/// What it costs is its leader's doing, too.
void TravelLedger::end_following(Region& region, double taken_us, double there_us, double now_us) {
  const double home_us = at_home_us(region);
  Region& leader = *region.leader_;
  charge(leader, std::max(0.0, home_us != 0 ? taken_us - home_us : -there_us));
  // It may be long until the leader is visited, and judged, again.
  if (leader.is_in_hand() && leader.gained_us < 0 && budget_left_us(now_us) <= 0) {
    leader.trial_lost_us_ += std::exchange(leader.afterwards_us_, 0);
    rest(leader, now_us);
  }
  region.losses_ = taken_us < region.waiting_us_ ? 0 : region.losses_ + 1;
  if (region.losses_ < rules_.visits_to_try)
    return;
  region.leader_ = nullptr;
  rest(region, now_us);
}

TravelLedger::Effect TravelLedger::end(uint64_t region, double now_us, double waited_us, const Visit& visit) {
  Region& known = regions_[region];
  const double taken_us = now_us - known.begun_us_, waited_here_us = waited_us - begun_waited_us_;
  const double away_us = visit.abroad_us + waited_here_us;
  known.all_visits++;
  known.spent_us += taken_us;
  known.travelled_last_ = visit.stays != 0;
  known.meets_often_ = visit.exchanges > rules_.few_exchanges && taken_us < visit.exchanges * rules_.exchange_us;
  if (visit.stays == 0) {
    charge(waited_us);
    end_at_home(known, taken_us, waited_here_us, now_us);
    return {waited_here_us > rules_.quiet * taken_us, false, 0, known.fetching_us(), away_us};
  }
  const double waited_abroad_us = std::max(0.0, visit.abroad_us - visit.computed_us);
  const double spared_us = visit.computed_us + visit.longer_us;
  // Those at home are charged with what they have waited meanwhile: of waits on both sides the longer ones count.
  const double lost_abroad_us = std::max(0.0, waited_abroad_us - waited_here_us);
  double there_us = spared_us - lost_abroad_us - visit.stays * rules_.way_us;
  are_others_ = false;
  known.visits++;
  known.stays += visit.stays;
  known.abroad_us += visit.abroad_us;
  known.computed_us += visit.computed_us;
  known.pages += visit.pages;
  known.thread_us = visit.thread_us;
  known.fetched += visit.fetched;
  if (visit.changes != 0)
    known.change_us = visit.changes_waited_us / visit.changes;
  pages_ += visit.pages;
  if (known.leader_) {
    waited_us_ = waited_us; // a part of what the visit has taken
    last_ = known.leader_;
    end_following(known, taken_us, there_us - waited_here_us, now_us);
    return {true, false, 0, known.fetching_us(), away_us};
  }
  last_ = &known;
  charge(waited_us);
  known.is_clear_ = known.is_clear_ || spared_us >= rules_.clear * taken_us;
  const double pages_cost_us = double(visit.pages) * rules_.page_us;
  if (!known.pays) {
    reserve(known, known.reserved_us_ + pages_cost_us);
    const double allowed_us = known.allowance_.at(taken_us);
    if (pages_cost_us - there_us >= allowed_us / 2)
      known.was_too_little_us_ = std::max(known.was_too_little_us_, allowed_us);
  }
  if (const double home_us = at_home_us(known); home_us != 0)
    there_us = std::min(there_us, home_us - taken_us + waited_here_us);
  const double gain_us = there_us - known.afterwards_us_; // since it was visited last, and in this visit
  const bool lasts = known.afterwards_us_ < rules_.taken_back * double(visit.pages) * rules_.page_us;
  known.afterwards_us_ = 0;
  known.gained_us += there_us;
  lost_us_ = std::max(0.0, lost_us_ - there_us);
  judge(known, gain_us, lasts, now_us);
  known.paid_us_ += taken_us;
  known.paid_visits_++;
  return {true, known.pays && known.gained_us > 0, std::max(there_us, 0.0), known.fetching_us(), away_us};
}

void TravelLedger::judge(Region& region, double gain_us, bool lasts, double now_us) {
  region.trial_lost_us_ = std::max(0.0, region.trial_lost_us_ - gain_us);
  const uint32_t joined = std::exchange(region.followers_, 0);
  if (region.pays) {
    region.losses_ = gain_us < 0 ? region.losses_ + 1 : 0;
    region.gains_ = gain_us < 0 ? 0 : region.gains_ + 1;
    if (region.losses_ >= rules_.visits_to_try)
      rest(region, now_us);
    else if (region.gains_ >= rules_.visits_to_try)
      region.rest_us_ = 0;
    return;
  }
  // What others have cost it until they followed does not count.
  region.tried += joined == 0 || region.tried == 0;
  if (gain_us > 0) {
    region.pays = true;
    region.paid_us_ = region.paid_visits_ = region.shows_anew_ = region.shown_anew_ = 0;
    region.doubt_after_us_ = rules_.doubted_us;
    reserve(region, 0);
    region.losses_ = 0;
    region.gains_ = 1;
    return;
  }
  // A visit whose threads departed late has fetched a part of what the next one does.
  const bool was_whole = std::exchange(region.departed_at_once_, region.departs_at_once_);
  const bool is_first = region.tried == 1 || !was_whole;
  const bool improves = is_first || joined != 0 || gain_us > rules_.improves * region.last_gain_us_;
  region.last_gain_us_ = gain_us;
  const bool goes_on =
      region.tried < rules_.visits_to_try ? lasts || improves : lasts && region.tried < rules_.visits_to_fetch;
  if (!goes_on || budget_left_us(now_us) <= 0)
    rest(region, now_us);
}

} // namespace hetmp::schedulers
