// The program's places and policies, from OMP_PLACES, OMP_PROC_BIND and GOMP_CPU_AFFINITY.
#pragma once

#include "runtime/affinity/place_list.hpp"
#include "runtime/affinity/seats.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::affinity {

struct ProgramPlaces {
  std::vector<Place> places;
  std::vector<ProcBind> policies{ProcBind::False}; ///< bind-var by level of nesting, the last one for all deeper ones; never empty
};

/// Written once, by read_places(), before the first team.
const ProgramPlaces& program_places();

/// Reads the variables for a process that may use `available`; each malformed one is complained about in one line. With several
/// nodes there are no places: threads stay on their nodes' CPUs.
void read_places(const std::vector<int>& available, bool several_nodes);

/// What the variables come to.
ProgramPlaces places_from_environment(const std::vector<int>& available, bool several_nodes);

/// "true", "false" or a list of primary (master), close, spread; nothing if it is neither. "true" leaves the choice to us: spread, as
/// programs that come from libomp know it.
std::optional<std::vector<ProcBind>> parse_proc_bind(std::string_view text);

/// "SPREAD,CLOSE".
std::string format_policies(const std::vector<ProcBind>& policies);

/// libgomp's list: CPUs and ranges "N-M:STRIDE", separated by blanks or commas, each CPU a place; nothing if it is malformed.
std::optional<std::vector<Place>> parse_cpu_affinity(std::string_view text);

} // namespace hetmp::affinity
