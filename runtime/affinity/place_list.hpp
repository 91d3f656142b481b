// Places: the sets of CPUs that threads are bound to (OpenMP 5.1, sections 2.6.2 and 6.5), as the user names them.
#pragma once

#include "runtime/affinity/topology_level.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::affinity {

inline constexpr int greatest_cpu = 4095;

/// Its CPUs in ascending order, without repetitions.
using Place = std::vector<int>;

/// What OMP_PLACES asks for: places, or one for each group of CPUs that a level of the machine has.
struct PlaceRequest {
  std::vector<Place> places; ///< in the user's order; empty if a level is named
  std::optional<TopologyLevel> level;
  uint32_t most = 0; ///< of a level: so many groups at most; 0 = all
};

struct ParsedPlaces {
  std::optional<PlaceRequest> request;
  std::string error; ///< without a request: what is wrong, a short phrase
  TopologyLevel otherwise =
      TopologyLevel::Cores; ///< then: the level to use instead, the one that is named if there is one
};

/// The grammar of section 6.5: "threads", "cores(4)", "{0,1},{2,3}", "{0:4}:4:4", "{0:8},!{4}", "0,1,2".
ParsedPlaces parse_places(std::string_view text);

/// "cores", "threads(4)"; `most`: 0 for all.
std::string format_level(TopologyLevel level, uint32_t most = 0);

/// "{0,1},{4}".
std::string format_places(const std::vector<Place>& places);

/// Without the CPUs that are not in `available` (ascending), and without places of which then nothing is left.
/// `missing`: one of those CPUs, -1 if there was none.
std::vector<Place> restrict_to(const std::vector<Place>& places, const std::vector<int>& available, int& missing);

} // namespace hetmp::affinity
