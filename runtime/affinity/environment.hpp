// OMP_PLACES, OMP_PROC_BIND and GOMP_CPU_AFFINITY.
#pragma once

#include "runtime/affinity/binding.hpp"

#include <optional>
#include <string_view>

namespace hetmp::affinity {

/// "true", "false" or a list of primary (master), close, spread; nothing if it is neither. "true" leaves the choice to us: spread, as
/// programs that come from libomp know it.
std::optional<std::vector<ProcBind>> parse_proc_bind(std::string_view text);

/// "TRUE", "SPREAD,CLOSE".
std::string format_policies(const std::vector<ProcBind>& policies);

/// libgomp's list: CPUs and ranges "N-M:STRIDE", separated by blanks or commas, each CPU a place; nothing if it is malformed.
std::optional<std::vector<Place>> parse_cpu_affinity(std::string_view text);

/// What the variables come to; see read_places().
ProgramPlaces places_from_environment(const std::vector<int>& available, bool several_nodes);

} // namespace hetmp::affinity
