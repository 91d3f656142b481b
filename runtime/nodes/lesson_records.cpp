#include "runtime/nodes/lesson_records.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

using perf::KnownRegion;
using schedulers::JourneyLesson;
using schedulers::PlacementLesson;
using Verdict = PlacementLesson::Verdict;

PlacementLesson placement_of(const KnownRegion& region) {
  PlacementLesson lesson;
  lesson.verdict = region.gains  ? Verdict::Gains
                   : region.lent ? Verdict::Lent
                   : region.lost ? Verdict::Lost
                                 : Verdict::None;
  lesson.home_us = region.home_us;
  lesson.spread_us = region.spread_us;
  lesson.first_spread_us = region.first_spread_us;
  lesson.longest_home_us = region.longest_home_us;
  lesson.lost_until_us = region.lost_until_us;
  lesson.exchanges = region.exchanges;
  lesson.age = region.age;
  lesson.compared = region.compared;
  for (const perf::KnownVisits& visits : region.visits)
    lesson.kinds.push_back({visits.trips, visits.home_us, visits.spread_us});
  return lesson;
}

void put(KnownRegion& region, const PlacementLesson& lesson) {
  region.gains = lesson.verdict == Verdict::Gains;
  region.lent = lesson.verdict == Verdict::Lent;
  region.lost = lesson.verdict == Verdict::Lost;
  region.home_us = lesson.home_us;
  region.spread_us = lesson.spread_us;
  region.first_spread_us = lesson.first_spread_us;
  region.longest_home_us = lesson.longest_home_us;
  region.lost_until_us = lesson.lost_until_us;
  region.exchanges = lesson.exchanges;
  region.age = lesson.age;
  region.compared = lesson.compared;
  for (const PlacementLesson::Kind& kind : lesson.kinds)
    region.visits.push_back({kind.trips, kind.home_us, kind.spread_us});
}

void put(KnownRegion& region, const JourneyLesson& lesson) {
  region.journeys_paid = lesson.paid;
  region.journeys_gain_us = lesson.gain_us;
  region.journeys_rest_us = lesson.rest_us;
  region.journeys_age = lesson.age;
}

} // namespace

Lessons lessons_of(const perf::KnownLayout& known, const std::function<const void*(CodeId)>& find_code) {
  const auto microtask_of = [&](CodeId id) {
    return id.is_in_shared_memory() ? 0 : reinterpret_cast<uint64_t>(find_code(id));
  };
  Lessons lessons;
  for (const KnownRegion& region : known.regions) {
    const uint64_t microtask = microtask_of({region.object, region.offset});
    if (microtask == 0)
      continue;
    lessons.placement.regions[microtask] = placement_of(region);
    if (region.has_journeys())
      lessons.journeys[microtask] = {region.journeys_paid, region.journeys_gain_us, region.journeys_rest_us,
                                     region.journeys_age};
  }
  for (const perf::KnownBetween& between : known.between) {
    const uint64_t from = microtask_of({between.from_object, between.from_offset}),
                   to = microtask_of({between.to_object, between.to_offset});
    if (from != 0 && to != 0 && between.home_us > 0)
      lessons.placement.between_us[{from, to}] = between.home_us;
  }
  return lessons;
}

perf::KnownLayout records_of(const Lessons& lessons, const std::function<CodeId(uint64_t)>& name_code,
                             const std::function<std::string(uint64_t)>& in_words) {
  std::map<uint64_t, KnownRegion> regions;
  for (const auto& [microtask, lesson] : lessons.placement.regions)
    put(regions[microtask], lesson);
  for (const auto& [microtask, lesson] : lessons.journeys)
    put(regions[microtask], lesson);
  perf::KnownLayout known;
  std::map<uint64_t, CodeId> ids;
  for (auto& [microtask, region] : regions) {
    const CodeId id = name_code(microtask);
    if (!id || id.is_in_shared_memory())
      continue;
    ids[microtask] = id;
    region.object = id.object;
    region.offset = id.offset;
    region.name = in_words(microtask);
    known.regions.push_back(std::move(region));
  }
  std::stable_sort(known.regions.begin(), known.regions.end(),
                   [](const KnownRegion& a, const KnownRegion& b) { return a.longest_home_us > b.longest_home_us; });
  for (const auto& [pair, home_us] : lessons.placement.between_us) {
    const auto from = ids.find(pair.first), to = ids.find(pair.second);
    if (from != ids.end() && to != ids.end())
      known.between.push_back(
          {from->second.object, from->second.offset, to->second.object, to->second.offset, home_us});
  }
  return known;
}

} // namespace hetmp::runtime
