// What a visit of a region usually takes, by how much it has to do, and what RegionPlacer's sums make of what it took.
#include "schedulers/placement/region_placer.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

/// Of the kinds that `is_it` holds for, the one with the most similar number of trips, at most so many `times` as many
/// or as few; end() if there is none.
template <class Kinds, class IsIt> auto nearest(Kinds& kinds, const VisitKind& visit, double times, IsIt&& is_it) {
  auto found = kinds.end();
  double least_times = times;
  constexpr double most = 1.8e19; // that fits
  const auto end = kinds.upper_bound({visit.region, uint64_t(std::min(double(visit.trips) * times, most))});
  for (auto kind = kinds.lower_bound({visit.region, uint64_t(double(visit.trips) / times)}); kind != end; ++kind) {
    const double so_many = times_as_many(visit, kind->first);
    if (so_many <= least_times && is_it(kind->second))
      found = kind, least_times = so_many;
  }
  return found;
}

} // namespace

/// Decompositions of matrices have a row less to do on each visit: what such visits take can be told by each other.
RegionPlacer::Work RegionPlacer::work_of(const VisitKind& visit) {
  auto known = visits_.find(visit); // as a rule
  if (known == visits_.end())
    known = nearest(visits_, visit, rules_.nearly_as_many, [](const Usual&) { return true; });
  const VisitKind kind = known == visits_.end() ? visit : known->first;
  const double amount = visit.trips == 0 ? 1 : double(visit.trips) / double(kind.trips);
  Usual& usual = visits_[kind];
  return {usual, kind, amount, usual.home.known() ? usual.home.mean_us() * amount : home_us(visit)};
}

/// By visits of another kind; 0: nobody knows.
double RegionPlacer::home_us(const VisitKind& visit) const {
  const auto tells = [](const Usual& usual) { return usual.home.known() && !usual.recalled; };
  const auto known = nearest(visits_, visit, rules_.comparable, tells);
  return known == visits_.end() ? 0 : known->second.home.mean_us() * double(visit.trips) / double(known->first.trips);
}

/// `at_home`: what was done was done there. `settled`: its data was where it was done.
void RegionPlacer::account(const Work& work, double taken_us, bool at_home, bool settled) {
  Usual& usual = work.usual;
  if (usual.epoch != epoch_) {
    usual.epoch = epoch_;
    usual.now = {};
  }
  const bool is_known = work.home_us != 0 && (!usual.recalled || is_foreseen(usual, taken_us / work.amount));
  const double at_home_us = is_known ? work.home_us : taken_us;
  if (stage_ == Stage::Steady) {
    if (!settled)
      return;
    usual.now.add(taken_us / work.amount);
    if (at_home && usual.recalled) { // now this run's own
      usual.home = {};
      usual.recalled = false;
    }
    if (at_home)
      usual.home.add(taken_us / work.amount);
    if (kept_regions_ != 0)
      watched_.add(taken_us, at_home_us);
    return;
  }
  const double slowdown = is_known && back_to_ ? compared_slowdown_ : 1; // of a kind that has not been lent yet
  const double usual_us = usual.now.known() ? usual.now.mean_us() * work.amount : at_home_us * slowdown;
  whole_.add(taken_us, usual_us);
  if (stage_ == Stage::Trial && heaviest_visits_ != 0 && settled)
    steady_.add(taken_us, usual_us);
  if (stage_ == Stage::Settling)
    settling_visits_++;
}

} // namespace hetmp::schedulers
