// Part of the machine, as KMP_HW_SUBSET names it: "2s,4c@2,1t". Pure.
#pragma once

#include "runtime/affinity/topology_level.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::affinity {

/// So many units of a level, within each unit of the level above that is named.
struct SubsetUnits {
  TopologyLevel level;
  uint32_t count = 0;  ///< 0: all
  uint32_t offset = 0; ///< as many are left out first
  bool operator==(const SubsetUnits&) const = default;
};

struct ParsedSubset {
  std::vector<SubsetUnits> units; ///< from the largest units to the smallest
  std::string error;              ///< if it is malformed: what is wrong, a short phrase
};

/// Units are S (sockets), N (NUMA domains), LL (last-level caches), C (cores) and T (hardware threads), in any order;
/// before one a number, or nothing or * for all of them; behind it @ and a number, or nothing. Sockets and cores divide
/// even if they are not named, so that threads count within cores, unless a colon comes first.
ParsedSubset parse_subset(std::string_view text);

/// The CPUs of `available` (ascending) that belong to the subset, ascending. `groups_of`: the machine's groups of CPUs
/// on a level. Empty, and why, if the machine has less than is asked for.
std::vector<int> subset_of(const std::vector<SubsetUnits>& units, const std::vector<int>& available,
                           const std::function<std::vector<std::vector<int>>(TopologyLevel)>& groups_of,
                           std::string& problem);

} // namespace hetmp::affinity
