// The program's places and policies, from OMP_PLACES, OMP_PROC_BIND, GOMP_CPU_AFFINITY and libomp's variables
// (kmp_environment.hpp).
#pragma once

#include "runtime/affinity/kmp_affinity_value.hpp"
#include "runtime/affinity/place_list.hpp"
#include "runtime/affinity/seats.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::affinity {

struct ProgramPlaces {
  std::vector<Place> places;
  std::vector<ProcBind> policies{
      ProcBind::False}; ///< bind-var by level of nesting, the last one for all deeper ones; never empty
  ProcBind teams_policy = ProcBind::Spread; ///< of a league's teams, if threads are bound: KMP_TEAMS_PROC_BIND
  std::string level;                        ///< the one of the machine that the places are: "cores"; else empty
  KmpAffinity kmp;                          ///< KMP_AFFINITY; without a malformed value
  std::string subset;                       ///< KMP_HW_SUBSET, if it has been followed
  std::vector<int> cpus;                    ///< of the process, before anything restricted them
  size_t usable_cpus = 0;                   ///< of those and others, what places could be made of; 0: nobody looked

  /// Whether threads of the program's teams are bound at all.
  bool bind() const { return !places.empty() && policies[0] != ProcBind::False; }
  /// Whether the primary thread gets `cpus` back after an outermost region.
  bool reset() const { return kmp.reset && bind(); }
};

/// They are read when somebody asks for the first time: a program may set the variables itself before its first region.
const ProgramPlaces& program_places();

/// From here on program_places() reads the variables, once, for a process that may use `available`; each malformed one
/// is complained about in one line. With several nodes there are no places: threads stay on their nodes' CPUs. Before
/// the first team.
void prepare_places(const std::vector<int>& available, bool several_nodes);

/// What the variables come to.
ProgramPlaces places_from_environment(const std::vector<int>& available, bool several_nodes);

/// "true", "false" or a list of primary (master), close, spread; nothing if it is neither. "true" leaves the choice to
/// us: spread, as programs that come from libomp know it.
std::optional<std::vector<ProcBind>> parse_proc_bind(std::string_view text);

/// "SPREAD,CLOSE".
std::string format_policies(const std::vector<ProcBind>& policies);

/// libgomp's list: CPUs and ranges "N-M:STRIDE", separated by blanks or commas, each CPU a place; nothing if it is
/// malformed.
std::optional<std::vector<Place>> parse_cpu_affinity(std::string_view text);

} // namespace hetmp::affinity
