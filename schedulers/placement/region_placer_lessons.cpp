// What RegionPlacer recalls of earlier runs, and what it teaches later ones.
#include "base/check.hpp"
#include "schedulers/placement/region_placer.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

constexpr VisitKind first_of(uint64_t region) { return {region, 0}; }

} // namespace

void RegionPlacer::recall(PlacementLessons lessons) {
  HETMP_CHECK(regions_.empty());
  recalled_ = std::move(lessons);
  for (const auto& [pair, home_us] : recalled_.between_us) {
    Usual& usual = between_[pair];
    usual.home = {home_us, rules_.visits_to_know};
    usual.recalled = true;
    usual.recalled_us = home_us; // a time far below it does not stand for a gain
  }
}

/// `region` is met for the first time.
void RegionPlacer::recall(uint64_t name, Region& region, double now_us) {
  const auto found = recalled_.regions.find(name);
  if (found == recalled_.regions.end() || found->second.age >= oldest_lesson)
    return;
  const PlacementLesson& lesson = found->second;
  region.recalled_longest_us = lesson.longest_home_us;
  if (lesson.verdict == PlacementLesson::Verdict::Lost) {
    region.excluded_until_us = lesson.lost_until_us;
    region.recalls_loss = true;
  }
  const bool was_lent = lesson.verdict == PlacementLesson::Verdict::Lent;
  const Site there = was_lent ? Site::OtherNode : Site::AllNodes;
  const bool are_others_elsewhere = away_ != there && (kept_regions_ != 0 || stage_ != Stage::Steady);
  const bool fits = stage_ == Stage::Steady || (stage_ == Stage::Trial && recalls_); // not in another trial's sums
  const bool gains = was_lent ? lent_share() <= rules_.lends : lesson.verdict == PlacementLesson::Verdict::Gains;
  if (!gains || lesson.home_us <= 0 || !fits || are_others_elsewhere)
    return;
  region.recalled = region.tried = true;
  region.settled = false;
  region.home = {lesson.home_us, rules_.visits_to_know};
  for (const PlacementLesson::Kind& kind : lesson.kinds) {
    Usual& usual = visits_[{name, kind.trips}];
    if (kind.home_us > 0)
      usual.home = {kind.home_us, rules_.visits_to_know};
    usual.recalled = true;
    usual.recalled_us = kind.spread_us;
  }
  if (stage_ == Stage::Trial) { // it joins those that gained as well
    if (lesson.home_us > regions_[heaviest_].home.mean_us())
      heaviest_ = name, heaviest_visits_ = 0;
    return;
  }
  heaviest_ = name;
  recalls_ = true;
  compared_ = was_lent && lesson.compared;
  begin_trial(now_us, there);
}

/// Whether what was done is what the lesson speaks of.
bool RegionPlacer::is_foreseen(const Usual& usual, double taken_us) const {
  return usual.recalled && taken_us >= rules_.least_recalled * usual.recalled_us;
}

/// That a region lost in an earlier run says nothing of another problem: where visits at home have other trip counts,
/// or take far more or less than then.
void RegionPlacer::doubt_loss(uint64_t name, Region& region, const VisitKind& kind, const Usual& usual) const {
  if (usual.home.count() != 2 * rules_.visits_to_know) // the first visit at home moves data as well
    return;
  const std::vector<PlacementLesson::Kind>& kinds = recalled_.regions.find(name)->second.kinds;
  const auto is_it = [&](const PlacementLesson::Kind& known) { return known.trips == kind.trips; };
  const auto known = std::find_if(kinds.begin(), kinds.end(), is_it);
  const double home_us = usual.home.mean_us(), then_us = known == kinds.end() ? 0 : known->home_us;
  if (std::max(home_us, then_us) <= rules_.alike * std::min(home_us, then_us))
    return;
  region.recalls_loss = false;
  region.excluded_until_us = 0;
}

/// Of what a first visit takes more than at home, what it took in the earlier run too: then it has paid, so it is not
/// charged.
double RegionPlacer::foreseen_us(uint64_t name, double taken_us, double at_home_us) const {
  const auto lesson = recalled_.regions.find(name);
  HETMP_CHECK(lesson != recalled_.regions.end());
  const double first_us = rules_.most_recalled * lesson->second.first_spread_us;
  return std::max(0.0, std::min(taken_us, first_us) - at_home_us);
}

/// What is left is what this run has seen itself.
void RegionPlacer::forget_lesson(uint64_t name, Region& region) {
  region.recalled = false;
  region.home = {};
  for (auto kind = visits_.lower_bound(first_of(name)); kind != visits_.end() && kind->first.region == name; ++kind)
    if (kind->second.recalled)
      kind->second = {};
}

/// Of the trial in hand: the region goes home, since the lesson was of another problem. That is no loss of its own.
void RegionPlacer::disown(Region& region) {
  region.tried = false;
  region.settled = false;
  const auto is_tried = [](const auto& entry) { return entry.second.tried; };
  const auto other = std::find_if(regions_.begin(), regions_.end(), is_tried);
  if (other == regions_.end())
    return begin_settling();
  if (regions_[heaviest_].tried)
    return;
  heaviest_ = other->first;
  heaviest_visits_ = 0;
}

PlacementLesson RegionPlacer::lesson_of(uint64_t name, const Region& region) const {
  using Verdict = PlacementLesson::Verdict;
  const auto before = recalled_.regions.find(name);
  const bool holds = before != recalled_.regions.end() && before->second.age < oldest_lesson;
  PlacementLesson lesson;
  const bool is_away = region.kept || (region.recalled && region.tried);
  const bool gained = holds && (before->second.verdict == Verdict::Gains || before->second.verdict == Verdict::Lent);
  const Site there = back_to_.value_or(away_); // a comparison that the end of the run cuts short has found nothing
  if (is_away)
    lesson.verdict = there == Site::AllNodes ? Verdict::Gains : Verdict::Lent;
  else if (region.excluded_until_us > 0 && !gained) // two runs disagree
    lesson.verdict = Verdict::Lost;
  const bool compares_well = back_to_ && whole_.lost_us() < 0; // so far: a longer run would have kept it there
  lesson.compared = lesson.verdict == Verdict::Lent && compared_ && !compares_well;
  lesson.home_us = region.home.mean_us();
  lesson.spread_us = region.spread.known() || !holds ? region.spread.mean_us() : before->second.spread_us;
  lesson.first_spread_us =
      region.spread_visits != 0 || !holds ? region.first_spread_us : before->second.first_spread_us;
  lesson.longest_home_us = region.home_visits != 0 ? region.longest_home.expected_us() : region.recalled_longest_us;
  lesson.lost_until_us = lesson.verdict == Verdict::Lost ? region.excluded_until_us : 0;
  lesson.exchanges = region.home_visits != 0 || !holds ? region.exchanges : before->second.exchanges;
  const bool was_seen = lesson.verdict == Verdict::Lost ? region.spread_visits != 0 : region.home_visits != 0;
  if (holds && !was_seen)
    lesson.age = before->second.age + 1;
  for (auto kind = visits_.lower_bound(first_of(name)); kind != visits_.end() && kind->first.region == name; ++kind) {
    const Usual& usual = kind->second;
    const bool is_spread_now = region.kept && usual.now.known() && usual.epoch == epoch_;
    const double at_home_us = usual.home.known() ? usual.home.mean_us() : home_us(kind->first);
    const PlacementLesson::Kind taught{kind->first.trips, at_home_us,
                                       is_spread_now ? usual.now.mean_us() : usual.recalled_us};
    if (taught.home_us > 0 || taught.spread_us > 0)
      lesson.kinds.push_back(taught);
  }
  return lesson;
}

PlacementLessons RegionPlacer::lessons() const {
  PlacementLessons lessons;
  for (const auto& [name, region] : regions_) {
    PlacementLesson lesson = lesson_of(name, region);
    const auto earlier = kept_lessons_.find(name);
    const bool has_gained = region.gained_away_us > rules_.remembered_gain * region.spread_us;
    if (earlier != kept_lessons_.end() && !region.kept && has_gained)
      lesson = earlier->second;
    if (lesson.verdict != PlacementLesson::Verdict::None || region.home.count() >= rules_.visits_to_know)
      lessons.regions.emplace(name, std::move(lesson));
  }
  for (const auto& [pair, usual] : between_)
    if (usual.home.known() && lessons.regions.contains(pair.first) && lessons.regions.contains(pair.second))
      lessons.between_us.emplace(pair, usual.home.mean_us());
  return lessons;
}

} // namespace hetmp::schedulers
