// What runs of a program have learned about its parallel regions, kept in a file between runs (docs/knowledge.md).
// Values, their text, and how those of two runs are put together. Code is named as CodeId does (base/elf/code_id.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::perf {

inline constexpr uint32_t knowledge_version = 1;
inline constexpr size_t largest_knowledge = size_t(1) << 20; ///< bytes; a larger file is not read
inline constexpr uint32_t oldest_knowledge = 16; ///< runs that have not met a region, after which it is forgotten

/// Visits of a region with so many iterations in its first loop. Times of 0 are not known, here and below.
struct KnownVisits {
  uint64_t trips = 0;
  double home_us = 0;
  double spread_us = 0; ///< on several nodes
};

struct KnownRegion {
  uint32_t object = 0; ///< its code
  uint32_t offset = 0;
  std::string name;         ///< for people: its source, or "file+0xoffset"
  bool gains = false;       ///< it was kept on several nodes
  bool lent = false;        ///< it was kept on one other node, which is faster than the origin
  bool compared = false;    ///< lent: with all nodes, which took longer
  bool lost = false;        ///< it was slower there
  double lost_until_us = 0; ///< of a run, before which it is not tried
  double home_us = 0;       ///< a usual visit
  double spread_us = 0;
  double first_spread_us = 0; ///< the visit there that moved its data
  double longest_home_us = 0;
  uint32_t exchanges = 0;
  uint32_t age = 0; ///< runs since it was seen at home, or tried
  std::vector<KnownVisits> visits;
  bool journeys_paid = false;
  double journeys_gain_us = 0; ///< of a visit; below 0: lost
  double journeys_rest_us = 0; ///< that it stayed at home at last, because journeys lost
  uint32_t journeys_age = 0;   ///< runs since threads travelled

  bool has_journeys() const { return journeys_paid || journeys_rest_us > 0; }
};

/// From one region's end to the next one's begin, at home.
struct KnownBetween {
  uint32_t from_object = 0, from_offset = 0;
  uint32_t to_object = 0, to_offset = 0;
  double home_us = 0;
};

/// Of runs on the same nodes.
struct KnownLayout {
  std::vector<uint32_t> cpus; ///< of each node, how many
  double quota = 0;           ///< CPUs that the origin's control groups grant it; 0: all of them
  std::string interconnect;
  std::vector<KnownRegion> regions;
  std::vector<KnownBetween> between;

  bool is_same(const KnownLayout& other) const {
    constexpr double alike = 0.1; // of a quota
    return cpus == other.cpus && interconnect == other.interconnect &&
           std::abs(quota - other.quota) <= alike * std::max(quota, other.quota);
  }
};

struct Knowledge {
  std::string program; ///< its file
  std::string build;   ///< what that file was: another build has other regions
  std::vector<KnownLayout> layouts;
};

/// The file's text. Reading it gives the same.
std::string format_knowledge(const Knowledge& knowledge);

/// False, with what is wrong in `problem` (a short phrase): then nothing is known.
bool parse_knowledge(std::string_view json, Knowledge& knowledge, std::string& problem);

/// Adds what a run has learned. Regions that it has met take the place of what was known; those that it has not met
/// grow older. What is too much for the file goes: the layouts used longest ago, the regions that cost least.
void merge_layout(Knowledge& knowledge, const KnownLayout& newer);

} // namespace hetmp::perf
