#include "schedulers/placement/region_placer.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::schedulers {
double RegionPlacer::budget_left_us(double now_us, Site there) const {
  if (there == Site::OtherNode)
    return rules_.lent_budget.at(now_us) - lost_us_;
  return rules_.budget.at(now_us) - lost_us_ - others_us_;
}

/// What a trial that begins now may lose. One that an earlier run speaks for begins before a run has lasted for long,
/// and is not to end by a moment's noise.
double RegionPlacer::allowance_us(double now_us, Site there) const {
  const ExperimentBudget& budget = there == Site::OtherNode ? rules_.lent_budget : rules_.budget;
  const double held_back_us = recalls_ ? budget.at_once(now_us) - budget.at(now_us) : 0;
  return budget_left_us(now_us, there) + held_back_us;
}

void RegionPlacer::end(double now_us, const VisitSeen& seen) {
  HETMP_CHECK(current_ != 0);
  Region& region = regions_[current_];
  const double taken_us = now_us - current_begin_us_;
  const double at_home_us = seen.evenly_us != 0 ? seen.evenly_us : taken_us; // if it was
  Work work = work_of({current_, seen.trips});
  const bool is_another_problem = recalls_ && region.tried && !is_foreseen(work.usual, taken_us / work.amount);
  if (is_another_problem) {
    forget_lesson(current_, region);
    work.home_us = 0; // which the lesson had told
  }
  if (current_spread_)
    count_away(region, work, taken_us);
  else
    count_at_home(region, work, taken_us, at_home_us, seen);
  const bool is_usual_at_home = !current_spread_ && stage_ == Stage::Steady;
  account(work, is_usual_at_home ? at_home_us : taken_us, !current_spread_, region.settled);
  if (region.recalls_loss)
    doubt_loss(current_, region, work.kind, work.usual);
  if (recalls_ && region.tried && !region.settled && work.usual.home.known())
    whole_.usual_us += foreseen_us(current_, taken_us, work.home_us);
  region.settled = true;
  if (!region.kept)
    region.kept_trips = seen.trips;
  if (is_another_problem)
    disown(region);
  last_ = std::exchange(current_, 0);
  last_end_us_ = now_us;
  region.bound |= seen.bound;
  if (region.bound && current_spread_ && away_ == Site::OtherNode)
    return bring_home(region);
  if (region.kept && has_changed(region, work, taken_us, now_us))
    return;
  judge(now_us);
}

void RegionPlacer::count_away(Region& region, const Work& work, double taken_us) {
  region.first_spread_us = region.settled ? region.first_spread_us : taken_us;
  region.spread_visits++;
  region.lent_visits += away_ == Site::OtherNode ? 1 : 0;
  region.spread_us += taken_us;
  if (region.settled)
    region.spread.add(taken_us);
  if (region.settled && current_ == heaviest_)
    heaviest_visits_++;
  if (region.tried) {
    region.trial_taken_us += taken_us;
    region.trial_usual_us += work.home_us != 0 ? work.home_us : taken_us;
  }
  if (work.home_us == 0) {
    region.untold_us += region.kept ? taken_us : 0;
    return;
  }
  const double slowdown = taken_us / work.home_us;
  region.gained_away_us += work.home_us - taken_us;
  if (region.kept)
    region.kept_trend.add(slowdown);
  if (region.settled || away_ == Site::AllNodes) // what moving what is lent takes is foreseen by its size
    region.worst_slowdown = std::max(region.worst_slowdown, slowdown);
  if (region.settled)
    region.slowdown.add(slowdown);
}

void RegionPlacer::count_at_home(Region& region, const Work& work, double taken_us, double evenly_us,
                                 const VisitSeen& seen) {
  if (region.home_visits++ != 0) // the first finds new memory and cold caches
    region.home_trend.add(evenly_us);
  region.home_us += taken_us;
  region.longest_home.add(taken_us);
  if (!seen.disturbed)
    region.longest_quiet.add(taken_us);
  region.familiar_visits = work.usual.home.known() ? region.familiar_visits + 1 : 0;
  region.exchanges = seen.exchanges;
  region.gains_elsewhere = seen.gains_elsewhere;
  region.gained_us = seen.gained_us;
  region.fetching_us = seen.fetching_us != 0 ? seen.fetching_us : region.fetching_us;
  region.short_turns = seen.short_turns;
  if (region.settled && stage_ == Stage::Steady)
    region.home.add(evenly_us);
}

/// What lies between the last region and this one is over.
void RegionPlacer::arrive(uint64_t region, double now_us) {
  if (last_ != 0) {
    Usual& usual = between_[{last_, region}];
    account({usual, {}, 1, usual.home.mean_us()}, now_us - last_end_us_, kept_regions_ == 0, true);
  }
  judge(now_us);
}

bool RegionPlacer::depart(uint64_t region, double now_us) {
  const auto [place, is_new] = regions_.try_emplace(region);
  Region& known = place->second;
  if (is_new) {
    known.met_us = now_us;
    recall(region, known, now_us);
  }
  current_ = region;
  current_begin_us_ = now_us;
  current_spread_ = known.kept || known.tried;
  return current_spread_;
}

void RegionPlacer::judge(double now_us) {
  switch (stage_) {
  case Stage::Trial:
    return judge_trial(now_us);
  case Stage::Settling: {
    const auto is_away = [](const auto& entry) { return !entry.second.settled; };
    constexpr uint32_t most = 64; // steps; a region that does not come any more is waited for no longer
    if (settling_visits_ >= most || std::none_of(regions_.begin(), regions_.end(), is_away))
      end_settling();
    return;
  }
  case Stage::Steady:
    return watch(now_us);
  }
}

// ---- a trial

PlacedBecause RegionPlacer::why(const Region& region, double now_us) const {
  if (region.tried)
    return recalls_ ? PlacedBecause::Recalled : PlacedBecause::Trial;
  if (region.kept)
    return PlacedBecause::Gains;
  const PlacedBecause why = why_at_home(region, now_us);
  const bool is_little = refusal_.known && refusal_.share < rules_.least_share;
  return why == PlacedBecause::NoBudget && is_little ? PlacedBecause::TooLittle : why;
}

void RegionPlacer::begin_trial(double now_us, Site there) {
  HETMP_CHECK(kept_regions_ == 0 || there == away_); // what is away is in one place
  away_ = there;
  for (auto& [name, region] : regions_)
    if (region.tried) {
      region.settled = false;
      region.trial_taken_us = region.trial_usual_us = 0;
    }
  stage_ = Stage::Trial;
  trials_++;
  allowance_us_ = allowance_us(now_us, there);
  whole_ = steady_ = {};
  heaviest_visits_ = 0;
}

/// What is lent is known to gain as soon as its data is there, unless that turns out not to be so, which one visit does
/// not show. To bring the data home would cost as much again.
bool RegionPlacer::is_to_gain() const {
  if (away_ != Site::OtherNode)
    return false;
  const bool is_unknown = heaviest_visits_ < rules_.visits_to_judge && whole_.lost_us() <= allowance_us_;
  return heaviest_visits_ == 0 || is_unknown || steady_.taken_us < rules_.pays * steady_.usual_us;
}

/// A region that an earlier run has kept is watched by no more than that either.
double RegionPlacer::pays() const { return recalls_ ? rules_.loses : rules_.pays; }

void RegionPlacer::judge_trial(double now_us) {
  // Coming back takes about what coming has taken.
  if (whole_.lost_us() > allowance_us_ / 2 && !is_to_gain())
    return reverse(now_us);
  if (heaviest_visits_ < rules_.visits_to_judge)
    return;
  if (steady_.taken_us > rules_.loses_beyond_doubt * steady_.usual_us)
    return reverse(now_us);
  if (steady_.usual_us < rules_.judged_us)
    return;
  if (back_to_ ? is_clearly_better() : steady_.taken_us < pays() * steady_.usual_us)
    return keep();
  if (back_to_ && steady_.usual_us < rules_.compared_us && steady_.taken_us < steady_.usual_us)
    return;
  // Machines are noisy: a little that seems to be lost is doubted for longer.
  const bool is_little = steady_.lost_us() < rules_.doubted_loss * allowance_us_;
  if (is_little && steady_.usual_us < rules_.doubted_us)
    return;
  const bool is_hopeless = steady_.taken_us > rules_.loses * steady_.usual_us;
  if (heaviest_visits_ >= rules_.most_visits_to_judge ||
      (is_hopeless && heaviest_visits_ >= 2 * rules_.visits_to_judge))
    reverse(now_us);
}

void RegionPlacer::keep() {
  kept_regions_ = 0;
  back_to_.reset();
  if (recalls_) // the earlier run has doubted it
    doubt_after_us_ = std::max(doubt_after_us_, rules_.doubted_recalled_us);
  recalls_ = false;
  for (auto& [name, region] : regions_) {
    if (region.tried)
      region.kept_trend = Trend(rules_.pays), region.untold_us = 0;
    region.kept |= region.tried;
    region.tried = false;
    kept_regions_ += region.kept ? 1 : 0;
  }
  stage_ = Stage::Steady;
  watched_ = {};
  epoch_++;
}

/// Those of the trial go home, for now: those that were slower there, or all if that cannot be said of any.
void RegionPlacer::reverse(double now_us) {
  if (back_to_)
    return end_comparison();
  const auto is_slower = [](const Region& region) { return region.trial_taken_us > region.trial_usual_us; };
  const auto is_to_blame = [&](const auto& entry) { return entry.second.tried && is_slower(entry.second); };
  const bool all = std::none_of(regions_.begin(), regions_.end(), is_to_blame);
  lost_last_ = away_;
  lent_trials_lost_ += away_ == Site::OtherNode ? 1 : 0;
  const double little = steady_.usual_us < rules_.judged_us ? rules_.loses_beyond_doubt : rules_.lent_slowdown;
  lost_little_ = steady_.taken_us <= little * steady_.usual_us;
  for (auto& [name, region] : regions_) {
    if (!region.tried)
      continue;
    if (all || is_slower(region)) {
      const double growth = region.trials_lost++ == 0 ? rules_.soon_again : rules_.second_chance;
      region.excluded_until_us = std::max(now_us * growth, now_us + whole_.lost_us() / rules_.loss_again);
    }
    region.doubted_moving_us = 0;
    region.settled = region.spread_visits == 0; // its data has not moved
    region.tried = false;
  }
  begin_settling();
}

/// What is charged from now on is added to `whole_`.
void RegionPlacer::begin_settling() {
  stage_ = Stage::Settling;
  settling_visits_ = 0;
}

void RegionPlacer::end_settling() {
  lost_us_ += std::max(0.0, whole_.lost_us());
  for (auto& [name, region] : regions_) {
    region.settled = true;
    if (region.recalled && !region.kept)
      forget_lesson(name, region);
  }
  recalls_ = false;
  stage_ = Stage::Steady;
  watched_ = {};
}

// ---- what is kept

double RegionPlacer::watched_for_us(double now_us) const {
  return std::max(rules_.watched_us, rules_.watched_share * now_us);
}

/// A program may have phases in which several nodes lose, as where all its data is read anew: what these lose is set
/// against what was gained before. Nothing that was not gained is lost but what a trial might lose as well.
void RegionPlacer::watch(double now_us) {
  if (kept_regions_ == 0)
    return;
  const double given_back_us = watched_.most_gained_us - watched_.gained_us;
  const double may_give_back_us =
      rules_.most_given_back * watched_.most_gained_us + std::max(0.0, budget_left_us(now_us, away_)) / 2;
  if (watched_.window.usual_us >= watched_for_us(now_us)) {
    const bool loses = watched_.window.taken_us > rules_.loses * watched_.window.usual_us;
    watched_.losing_windows = loses ? watched_.losing_windows + 1 : 0;
    watched_.worse_windows = was_better_lent(watched_.window) ? watched_.worse_windows + 1 : 0;
    watched_.window = {};
    if (!loses && could_compare())
      return begin_comparison(now_us);
  }
  if (given_back_us <= may_give_back_us && watched_.losing_windows < rules_.most_losing_windows) {
    if (watched_.worse_windows >= rules_.most_losing_windows)
      return lend_again();
    return is_in_doubt(now_us) ? doubt() : void();
  }
  whole_ = {std::max(0.0, -watched_.gained_us), 0};
  leave_nodes(now_us * rules_.second_chance);
}

/// Whether what is kept gains so little that nobody could tell whether it still does: the times at home are of its
/// first visits, which find cold caches and fresh pages, or of a slower minute of the machine.
bool RegionPlacer::is_in_doubt(double now_us) {
  if (watched_.latest.usual_us < std::max(doubt_after_us_, rules_.doubted_gain_us))
    return false;
  const Balance latest = std::exchange(watched_.latest, {});
  const bool is_little =
      latest.taken_us > rules_.doubtful * latest.usual_us && latest.taken_us <= rules_.loses * latest.usual_us;
  const bool was_little = std::exchange(watched_.gained_little, is_little); // else a phase has begun, or ended
  if (!is_little || !was_little || 2 * moving_us() > budget_left_us(now_us, away_) / 2)
    return false;
  doubt_after_us_ = rules_.doubt_growth * std::max(doubt_after_us_, rules_.doubted_gain_us);
  return true;
}

/// All that is kept goes home until its times there are known anew. What several nodes take is known by then: the trial
/// that follows may lose little.
void RegionPlacer::doubt() {
  for (auto& [name, region] : regions_)
    region.doubted_moving_us = region.kept ? std::max(1.0, region.first_spread_us - region.spread.mean_us()) : 0;
  remember_kept();
  measure_anew();
}

/// What it takes to bring the data of all that is kept to several nodes, or home.
double RegionPlacer::moving_us() const {
  double moving_us = 0;
  for (const auto& [name, region] : regions_)
    if (region.kept)
      moving_us += std::max(0.0, region.first_spread_us - region.spread.mean_us());
  return moving_us;
}

/// All that is kept goes home.
void RegionPlacer::leave_nodes(double excluded_until_us) {
  compared_ = false;
  for (auto& [name, region] : regions_) {
    if (!region.kept)
      continue;
    region.kept = false;
    region.settled = false;
    region.excluded_until_us = excluded_until_us;
  }
  kept_regions_ = 0;
  epoch_++;
  begin_settling();
}

} // namespace hetmp::schedulers
