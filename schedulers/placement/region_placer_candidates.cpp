// Which regions RegionPlacer would try on several nodes, what that may cost at worst, and when it is worth that.
#include "schedulers/placement/region_placer.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

/// A processor reads no more than this from memory in a microsecond: what a short visit can make nodes fetch.
constexpr double most_mib_per_us = 0.004;
constexpr double pages_per_mib = 256;

} // namespace

/// Of what a region computes at home, the time that it would take on the node that it is lent to. The CPUs of both are
/// taken for equally fast as long as they are not denied.
double RegionPlacer::lent_share() const { return rules_.cpus_at_home * speed_at_home_ / rules_.cpus_there; }

/// Where the next trial would be. To lend costs less than all nodes, which take pages from each other; what gains so is
/// compared with these later. What has lost is not tried again before the other, but for lending that may have been
/// unlucky once.
Site RegionPlacer::next_site() const {
  if (kept_regions_ != 0)
    return away_;
  if (lent_share() > rules_.lends)
    return Site::AllNodes;
  const bool was_unlucky = lost_little_ && lent_trials_lost_ == 1;
  return lost_last_ == Site::OtherNode && !was_unlucky ? Site::AllNodes : Site::OtherNode;
}

/// Where it would be if there it is not worth what it may cost. A run may never come to afford all nodes, and what was
/// lent may have lost by a moment's noise.
std::optional<Site> RegionPlacer::second_site() const {
  if (kept_regions_ != 0 || lent_share() > rules_.lends)
    return {};
  if (next_site() == Site::OtherNode)
    return Site::AllNodes;
  return lost_little_ ? std::optional(Site::OtherNode) : std::nullopt;
}

/// Its threads go on elsewhere for a while, which brings as much as to lend it could.
bool RegionPlacer::gains_more_at_home(const Region& region) const {
  const double home_us = region.home.mean_us();
  const double quiet_us =
      region.longest_quiet.known() ? region.longest_quiet.mean_of_others_us() : home_us + region.gained_us;
  return region.gains_elsewhere && home_us <= lent_share() * quiet_us / rules_.pays;
}

bool RegionPlacer::is_for_trials(const Region& region, double now_us) const {
  switch (why_at_home(region, now_us)) {
  case PlacedBecause::Unknown:
    return region.home_visits <= rules_.visits_to_know || region.home_us < rules_.judged_us;
  case PlacedBecause::NoBudget:
  case PlacedBecause::Lost:
  case PlacedBecause::Synchronises: // threads that are elsewhere would come home as often
    return true;
  default:
    return false;
  }
}

/// Before the region, which is met now, a trial could begin.
bool RegionPlacer::may_consider(uint64_t region, double now_us) {
  if (stage_ != Stage::Steady || now_us < next_look_us_)
    return false;
  const auto known = regions_.find(region);
  if (known == regions_.end() || known->second.kept)
    return false;
  const auto is_possible = [&](Site there) {
    return why_at_home(known->second, now_us, there) == PlacedBecause::NoBudget;
  };
  const std::optional<Site> second = second_site();
  return is_possible(next_site()) || (second && is_possible(*second));
}

/// Neither what is usual nor the mean of all is worth a meeting of nodes: of the levels of a multigrid most visits are
/// short, and most of the time is spent in few.
bool RegionPlacer::is_short(const Region& region, Site there) const {
  const double shortest_us = there == Site::OtherNode ? rules_.shortest_lent_us : rules_.shortest_visit_us;
  return std::max(region.home.mean_us(), region.longest_home.mean_of_others_us()) < shortest_us;
}

/// How fast the origin is has been seen without them: where few long visits are all of the run, each one counts.
uint32_t RegionPlacer::visits_to_know(const Region& region, Site there) const {
  const bool is_long = there == Site::OtherNode && region.home.mean_us() >= rules_.long_visit_us;
  return is_long ? rules_.visits_to_lend : rules_.visits_to_know;
}

/// NoBudget: nothing but what a trial may cost speaks against one.
PlacedBecause RegionPlacer::why_at_home(const Region& region, double now_us, Site there) const {
  if (now_us < region.excluded_until_us)
    return region.shrunk != 0 && region.trials_lost == 0 ? PlacedBecause::Changes : PlacedBecause::Lost;
  const uint32_t visits = visits_to_know(region, there);
  if (region.home.count() < visits)
    return PlacedBecause::Unknown;
  if (region.familiar_visits + 1 < visits)
    return PlacedBecause::Changes;
  if (is_short(region, there))
    return PlacedBecause::TooShort;
  if (there == Site::AllNodes && region.exchanges * rules_.exchange_us > rules_.most_exchanges * region.home.mean_us())
    return PlacedBecause::Synchronises;
  if (region.home_trend.is_falling()) // last: so do a few visits on a machine that others use as well
    return PlacedBecause::Changes;
  return is_judged_by_few(region) ? PlacedBecause::Unknown : PlacedBecause::NoBudget;
}

/// A few short visits, the first of them with cold caches, tell less than a trial will be judged by.
bool RegionPlacer::is_judged_by_few(const Region& region) const {
  return region.home.count() * region.home.mean_us() < rules_.judged_us;
}

/// Its longest visit to be expected.
double RegionPlacer::longest_at_home_us(const Region& region) const {
  constexpr double disturbed_most = 2; // times the usual time, of a region without a visit that was not disturbed
  const double usual_us = region.home.mean_us();
  const double of_this_run_us = region.longest_quiet.known()
                                    ? std::max(region.longest_quiet.expected_us(), usual_us)
                                    : std::min(region.longest_home.expected_us(), disturbed_most * usual_us);
  return std::max(of_this_run_us, region.recalled_longest_us);
}

/// Those for which a trial is made, and what has not lasted long enough for one but lies between them: at home it would
/// fetch their data back each time.
bool RegionPlacer::is_candidate(const Region& region, double now_us, Site there) const {
  if (there == Site::OtherNode && (region.bound || region.short_turns || gains_more_at_home(region)))
    return false;
  const PlacedBecause why = why_at_home(region, now_us, there);
  const uint32_t least_visits = there == Site::OtherNode ? rules_.visits_to_follow : rules_.visits_to_know;
  return why == PlacedBecause::NoBudget || (why == PlacedBecause::Unknown && region.home.count() >= least_visits);
}

/// Marks the regions that would be tried as such, and says what for and at which risk.
RegionPlacer::Refusal RegionPlacer::weigh_candidates(double now_us, double resident_mib, Site there) {
  double spent_us = 0, heaviest_us = 0, worst_us = 0, cycle_us = 0, moving_us = 0, met_us = now_us, fetching_us = 0;
  for (auto& [name, region] : regions_) {
    region.tried = !region.kept && is_candidate(region, now_us, there);
    if (!region.tried)
      continue;
    const bool is_doubted = region.doubted_moving_us != 0;
    const double weight_us = region.home_us + (is_doubted ? region.spread_us : 0);
    spent_us += weight_us;
    met_us = std::min(met_us, region.met_us);
    const double unknown_slowdown = there == Site::OtherNode ? rules_.lent_slowdown : rules_.worst_slowdown;
    const double foreseen_slowdown = region.gains_elsewhere ? rules_.travelled_slowdown : unknown_slowdown;
    const double slowdown = is_doubted ? rules_.doubted_slowdown : std::max(foreseen_slowdown, region.worst_slowdown);
    const double longest_us = longest_at_home_us(region);
    worst_us = std::max(worst_us, longest_us * (slowdown - 1));
    fetching_us = std::max(fetching_us, region.fetching_us);
    (is_doubted ? moving_us : cycle_us) += is_doubted ? region.doubted_moving_us : longest_us;
    if (weight_us > heaviest_us) {
      heaviest_us = weight_us;
      heaviest_ = name;
    }
  }
  const double touched_mib = std::min(resident_mib, cycle_us * most_mib_per_us);
  if (there == Site::OtherNode)
    worst_us += touched_mib * std::max(rules_.lent_us_per_mib, rules_.fetched_together * fetching_us * pages_per_mib) +
                rules_.lent_margin_us;
  else // the origin keeps its part
    worst_us += touched_mib * (1 - 1.0 / rules_.nodes) * rules_.bring_us_per_mib;
  worst_us += 2 * moving_us;
  return {true, spent_us / std::max(now_us - met_us, 1.0), spent_us, worst_us, there};
}

/// Nobody knows how long a run goes on: as long as it has done so far, as a rule. So a trial waits until its candidates
/// have lasted as long as it may lose at worst.
bool RegionPlacer::begin_if_worth_it(double now_us, double resident_mib, Site there) {
  const Refusal found = weigh_candidates(now_us, resident_mib, there);
  // What stays at home fetches the data of what is lent each time.
  const bool follows = there == Site::OtherNode && kept_regions_ != 0;
  const double least_share = follows ? rules_.share_to_follow : rules_.least_share;
  const bool is_enough = found.share >= least_share && found.spent_us >= found.worst_us;
  if (is_enough && found.worst_us <= budget_left_us(now_us, there)) {
    begin_trial(now_us, there);
    return true;
  }
  refusal_ = found;
  for (auto& [name, region] : regions_)
    region.tried = false;
  return false;
}

void RegionPlacer::consider_trial(double now_us, double resident_mib) {
  const Site first = next_site();
  const std::optional<Site> second = second_site();
  if (begin_if_worth_it(now_us, resident_mib, first))
    return;
  // Lending is waited for where enough could be lent.
  const bool is_too_little = refusal_.share < rules_.least_share;
  if (second && (*second == Site::OtherNode || is_too_little) && begin_if_worth_it(now_us, resident_mib, *second))
    return;
  constexpr double soonest_us = 1000, next_share = 0.02;
  next_look_us_ = now_us + std::max(soonest_us, next_share * refusal_.spent_us);
}

} // namespace hetmp::schedulers
