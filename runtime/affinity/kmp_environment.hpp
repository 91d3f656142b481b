// libomp's variables about places: KMP_AFFINITY, KMP_HW_SUBSET, KMP_TEAMS_PROC_BIND.
#pragma once

#include "runtime/affinity/kmp_affinity_value.hpp"

#include "base/variables/variable.hpp"
#include "runtime/affinity/seats.hpp"

#include <string>
#include <vector>

namespace hetmp::affinity {

/// What the variable, whose values are as KMP_AFFINITY's, says; a malformed one is complained about and says nothing.
KmpAffinity read_kmp_affinity(Variable variable = Variable::KMP_AFFINITY);

/// Whether threads of teams are bound by that type.
bool binds(const KmpAffinity& affinity);

/// For a type that binds: the places, and how threads take them. CPUs that are not in `available` and a machine that
/// does not tell of its levels are complained about, as the variable's.
std::vector<Place> kmp_places(const KmpAffinity& affinity, const std::vector<int>& available,
                              Variable variable = Variable::KMP_AFFINITY);
ProcBind kmp_policy(const KmpAffinity& affinity);

/// Those of `available` that KMP_HW_SUBSET leaves; all of them if it is not set, or cannot be had, which is complained
/// about. `applied`: its value if it has been followed.
std::vector<int> read_subset(const std::vector<int>& available, std::string& applied);

/// Of the teams of a league; spread if the variable does not say.
ProcBind read_teams_policy();

/// The CPUs of the machine that are online; `otherwise` if it does not tell.
std::vector<int> online_cpus(const std::vector<int>& otherwise);

} // namespace hetmp::affinity
