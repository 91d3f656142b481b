// What RegionPlacer does where a region has come to have other work, so that its usual times mean nothing any more.
#include "schedulers/placement/region_placer.hpp"

namespace hetmp::schedulers {

/// Whether it looks like a gain or not hardly changes what the rest gains. Pages that have found their places make a
/// short region much faster than at first.
bool RegionPlacer::is_little_of_what_is_kept(const Region& region) const {
  double kept_us = 0;
  for (const auto& [name, other] : regions_)
    kept_us += other.kept ? other.spread_us : 0;
  return region.spread_us < rules_.least_share * kept_us;
}

/// Whether the work of a region that is kept has changed with its last visit, so that all that is kept has gone home.
bool RegionPlacer::has_changed(Region& region, const Work& work, double taken_us, double now_us) {
  if (region.kept_trend.has_shrunk() && is_little_of_what_is_kept(region))
    region.kept_trend = Trend(rules_.pays);
  if (region.kept_trend.has_shrunk()) {
    // It may go on to have less to do, which a trial would take for a gain, unless trip counts tell. What is lent
    // meets nobody, which is what little work does not pay for.
    const bool is_first = region.shrunk++ == 0;
    const bool is_told = times_as_many(work.kind, {work.kind.region, region.kept_trips}) > rules_.nearly_as_many;
    if (is_told)
      remember_kept();
    measure_anew();
    if (!is_told && !(is_first && away_ == Site::OtherNode))
      region.excluded_until_us = now_us * (is_first ? rules_.soon_again : rules_.second_chance);
    return true;
  }
  if (region.untold_us >= watched_for_us(now_us)) {
    remember_kept();
    measure_anew();
    return true;
  }
  if (!work.usual.recalled || is_foreseen(work.usual, taken_us / work.amount))
    return false;
  if (is_little_of_what_is_kept(region)) {
    work.usual = {};
    return false;
  }
  measure_anew();
  return true;
}

/// What is kept may go home because it has come to have other work. The next run begins with what this one began with.
void RegionPlacer::remember_kept() {
  for (const auto& [name, region] : regions_)
    if (region.kept)
      kept_lessons_.emplace(name, lesson_of(name, region)); // the first one
}

/// What is usual at home is not known any more. What coming home costs can't be told by it either: as much as going
/// has.
void RegionPlacer::measure_anew() {
  whole_ = {moving_us(), 0};
  for (auto& [name, region] : regions_) {
    if (region.kept)
      forget_home(name, region);
  }
  for (auto& [pair, usual] : between_)
    usual = {};
  leave_nodes(0);
}

void RegionPlacer::forget_home(uint64_t name, Region& region) {
  region.home = {};
  region.home_trend = {};
  region.longest_home = region.longest_quiet = {};
  for (auto kind = visits_.lower_bound({name, 0}); kind != visits_.end() && kind->first.region == name; ++kind)
    kind->second = {};
}

void RegionPlacer::home_has_changed(uint64_t region) {
  const auto known = regions_.find(region);
  if (known == regions_.end() || known->second.kept || known->second.tried)
    return;
  forget_home(region, known->second);
  known->second.familiar_visits = 0;
}

} // namespace hetmp::schedulers
