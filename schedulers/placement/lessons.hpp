// What one run of a program teaches the next about its regions: what RegionPlacer and TravelLedger give at the end, and
// take at the beginning. A hint, never more: it says where a run begins, and every budget and every watch holds as
// without it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace hetmp::schedulers {

/// Runs after which what was not seen again since is not believed any more, and is learned anew: machines change.
inline constexpr uint32_t oldest_lesson = 16;

/// Times of 0 are not known; those of a region that was lent are of the node that it was lent to.
struct PlacementLesson {
  enum class Verdict : uint8_t {
    None,
    Gains, ///< it was kept on several nodes
    Lent,  ///< it was kept on one other node, which is faster than the origin
    Lost,  ///< it was slower there
  };
  /// Visits with so many trips (VisitKind).
  struct Kind {
    uint64_t trips = 0;
    double home_us = 0;
    double spread_us = 0;
    bool operator==(const Kind&) const = default;
  };
  Verdict verdict = Verdict::None;
  double home_us = 0;         ///< a usual visit at home
  double spread_us = 0;       ///< likewise on several nodes
  double first_spread_us = 0; ///< the visit there that moved its data
  double longest_home_us = 0; ///< of the last run that saw one
  double lost_until_us = 0;   ///< of the run, that a region that lost is not tried for
  uint32_t exchanges = 0;
  uint32_t age = 0;      ///< runs since it was seen at home (Gains, Lent), or tried (Lost)
  bool compared = false; ///< Lent: with all nodes, which took longer
  std::vector<Kind> kinds;
  bool operator==(const PlacementLesson&) const = default;
};

struct PlacementLessons {
  std::map<uint64_t, PlacementLesson> regions;
  std::map<std::pair<uint64_t, uint64_t>, double>
      between_us; ///< from one region's end to the next one's begin, at home
};

/// Of the journeys of a region's threads.
struct JourneyLesson {
  bool paid = false;
  double gain_us = 0; ///< of a visit; below 0: it lost
  double rest_us = 0; ///< that a region that lost stayed at home at last; 0: it did not
  uint32_t age = 0;   ///< runs since threads travelled
  bool operator==(const JourneyLesson&) const = default;
};

using JourneyLessons = std::map<uint64_t, JourneyLesson>;

} // namespace hetmp::schedulers
