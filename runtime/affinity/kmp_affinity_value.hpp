// libomp's words for where threads run, the value of KMP_AFFINITY: "granularity=thread,compact,1",
// "proclist=[0,{2,3}],explicit".
#pragma once

#include "runtime/affinity/place_list.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::affinity {

enum class AffinityType : uint8_t {
  None,     ///< threads are not bound
  Compact,  ///< next to each other
  Scatter,  ///< as far from each other as can be
  Balanced, ///< one on each core; more threads than cores: neighbours share one
  Explicit, ///< on the places of proclist
  Disabled, ///< as None, and affinity masks are refused
};

struct KmpAffinity {
  std::optional<AffinityType> type; ///< nothing if no type is named: then OMP_PLACES and OMP_PROC_BIND decide
  TopologyLevel granularity = TopologyLevel::Cores; ///< of a place
  uint32_t permute = 0;
  uint32_t offset = 0;
  std::vector<Place> proclist;
  bool verbose = false;
  bool warnings = true;
  bool respect = true; ///< only CPUs that the process may use; else all the machine has
  bool reset = false;  ///< the primary thread is free again after each outermost region

  bool operator==(const KmpAffinity&) const = default;
};

struct ParsedKmpAffinity {
  std::optional<KmpAffinity> value;
  std::string error; ///< without a value: what is wrong, a short phrase
};

/// Modifiers, a type and its numbers, in any order; a type or a modifier must not be named twice.
ParsedKmpAffinity parse_kmp_affinity(std::string_view text);

/// "noverbose,warnings,respect,noreset,granularity=core,compact,0,0".
std::string format_kmp_affinity(const KmpAffinity& affinity);

} // namespace hetmp::affinity
