// What RegionPlacer does with regions that are lent: compares them with all nodes, and brings them home.
#include "schedulers/placement/region_placer.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::schedulers {

/// All nodes, if they share what is lent by their speeds, would take so much less time that it pays to try that, and
/// what it may cost at worst is gained already.
bool RegionPlacer::could_compare() const {
  const double all_cpus = rules_.cpus_at_home * speed_at_home_ + (rules_.all_cpus - rules_.cpus_at_home);
  if (away_ != Site::OtherNode || compared_ || rules_.cpus_there > rules_.compares * all_cpus)
    return false;
  double longest_us = 0, taken_us = 0, exchanges_us = 0;
  for (const auto& [name, region] : regions_) {
    if (!region.kept)
      continue;
    longest_us = std::max(longest_us, region.spread.mean_us());
    taken_us += region.spread_us;
    exchanges_us += region.exchanges * rules_.exchange_us * region.spread_visits;
  }
  const double worst_us = 2 * moving_us() + (rules_.worst_slowdown - 1) * longest_us;
  return exchanges_us <= rules_.most_exchanges * taken_us && worst_us <= watched_.gained_us / rules_.compared_gain;
}

/// A trial of what is kept, in another place. It is judged by what is usual where it is kept.
void RegionPlacer::begin_comparison(double now_us) {
  double heaviest_us = -1;
  for (auto& [name, region] : regions_) {
    region.tried = region.kept;
    if (region.kept && region.spread_us > heaviest_us)
      heaviest_us = region.spread_us, heaviest_ = name;
  }
  compared_ = true;
  compared_slowdown_ = watched_.slowdown();
  back_to_ = std::exchange(away_, Site::AllNodes);
  begin_trial(now_us, Site::AllNodes);
  allowance_us_ = watched_.gained_us / rules_.compared_gain;
}

/// All nodes take so much less time than the one that they were lent to, for so long, that a phase of the program does
/// not look like it.
bool RegionPlacer::is_clearly_better() const {
  return steady_.usual_us >= rules_.compared_us && steady_.taken_us < rules_.compared_pays * steady_.usual_us;
}

/// What all nodes have taken, although they had been better than the node that had been lent to when these were
/// compared.
bool RegionPlacer::was_better_lent(const Balance& balance) const {
  const bool could_be = away_ == Site::AllNodes && compared_ && lent_share() <= rules_.lends;
  return could_be && rules_.loses * balance.taken_us > compared_slowdown_ * balance.usual_us;
}

/// What has come to all nodes by a comparison goes back, and stays there. What has joined it since goes home: of that
/// nobody knows whether it can be lent.
void RegionPlacer::lend_again() {
  away_ = Site::OtherNode;
  kept_regions_ = 0;
  for (auto& [name, region] : regions_) {
    region.settled &= !region.kept;
    region.kept &= region.lent_visits != 0 && !region.bound;
    kept_regions_ += region.kept ? 1 : 0;
  }
  watched_ = {};
  epoch_++;
  whole_ = {};
  begin_settling();
}

/// All are kept where they were before. What the comparison loses up to its allowance is of what was gained there.
void RegionPlacer::end_comparison() {
  whole_.usual_us += allowance_us_;
  away_ = *std::exchange(back_to_, {});
  for (auto& [name, region] : regions_)
    if (std::exchange(region.tried, false))
      region.settled = false;
  begin_settling();
}

/// A region that is lent turns out to want its own process: it is not to blame, and the others stay where they are.
void RegionPlacer::bring_home(Region& region) {
  if (region.tried)
    return disown(region);
  if (!region.kept) // by now
    return;
  region.kept = region.settled = false;
  if (--kept_regions_ != 0)
    return;
  epoch_++;
  begin_settling();
}

/// What is lent goes home, since the program has come to do what it could not do elsewhere.
void RegionPlacer::end_lending(double now_us) {
  if (std::exchange(back_to_, {}))
    for (auto& [name, region] : regions_)
      region.kept = false;
  if (stage_ == Stage::Trial)
    reverse(now_us);
  else if (kept_regions_ != 0)
    leave_nodes(0);
  away_ = Site::AllNodes;
}

} // namespace hetmp::schedulers
