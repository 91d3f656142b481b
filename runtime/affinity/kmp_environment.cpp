#include "runtime/affinity/kmp_environment.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/variables/variable.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/affinity/hardware_subset.hpp"
#include "runtime/affinity/machine_order.hpp"
#include "runtime/affinity/topology.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace hetmp::affinity {
namespace {

void complain_of(Variable variable, const std::string& problem, const char* substitute) {
  complain(variable, environment_value(variable).value_or(""), problem, substitute);
}

std::vector<Place> proclist_places(const KmpAffinity& affinity, const std::vector<int>& available, Variable variable) {
  int missing = -1;
  std::vector<Place> places = restrict_to(affinity.proclist, available, missing);
  if (missing >= 0)
    complain_of(variable, "CPU " + std::to_string(missing) + " is not available to this process",
                places.empty() ? "no places" : "the CPUs that are");
  return places;
}

/// The order for places of the type.
std::vector<CpuPosition> order_for(const KmpAffinity& affinity, std::vector<CpuPosition> positions) {
  switch (*affinity.type) {
  case AffinityType::Compact:
    return in_order(std::move(positions), inverted_of_compact(affinity.permute));
  case AffinityType::Scatter:
    return in_order(std::move(positions), inverted_of_scatter(affinity.permute));
  default:
    return positions;
  }
}

/// Single CPUs core by core, as far as the machine tells.
std::vector<Place> threads_by_core(const std::vector<int>& available) {
  std::string nothing_told;
  const std::vector<Place> sockets = places_of_level(TopologyLevel::Sockets, available, nothing_told);
  const std::vector<Place> cores = places_of_level(TopologyLevel::Cores, available, nothing_told);
  return groups_in_order({}, cpu_positions(sockets, cores, available), 0);
}

} // namespace

KmpAffinity read_kmp_affinity(Variable variable) {
  const auto text = environment_value(variable);
  if (!text)
    return {};
  const ParsedKmpAffinity parsed = parse_kmp_affinity(*text);
  if (!parsed.value)
    complain(variable, *text, parsed.error, "nothing of it");
  return parsed.value.value_or(KmpAffinity{});
}

bool binds(const KmpAffinity& affinity) {
  return affinity.type && *affinity.type != AffinityType::None && *affinity.type != AffinityType::Disabled;
}

std::vector<Place> kmp_places(const KmpAffinity& affinity, const std::vector<int>& available, Variable variable) {
  if (*affinity.type == AffinityType::Explicit)
    return proclist_places(affinity, available, variable);
  // Balanced: neighbours on a core may go from one of its hardware threads to the other.
  const TopologyLevel level = *affinity.type == AffinityType::Balanced ? TopologyLevel::Cores : affinity.granularity;
  std::string problem;
  const std::vector<Place> sockets = places_of_level(TopologyLevel::Sockets, available, problem);
  const std::vector<Place> cores = places_of_level(TopologyLevel::Cores, available, problem);
  const std::vector<Place> groups = level == TopologyLevel::Sockets ? sockets
                                    : level == TopologyLevel::Cores ? cores
                                                                    : places_of_level(level, available, problem);
  if (!problem.empty())
    complain_of(variable, problem, "what is known: single CPUs where there is no group");
  return groups_in_order(groups, order_for(affinity, cpu_positions(sockets, cores, available)), affinity.offset);
}

ProcBind kmp_policy(const KmpAffinity& affinity) {
  return *affinity.type == AffinityType::Balanced ? ProcBind::Close : ProcBind::True;
}

std::vector<int> read_subset(const std::vector<int>& available, std::string& applied) {
  const auto text = environment_value(Variable::KMP_HW_SUBSET);
  if (!text)
    return available;
  const ParsedSubset parsed = parse_subset(*text);
  std::string problem = parsed.error;
  std::vector<int> cpus;
  const auto groups_of = [&](TopologyLevel level) {
    return level == TopologyLevel::Threads ? threads_by_core(available) : places_of_level(level, available, problem);
  };
  if (problem.empty())
    cpus = subset_of(parsed.units, available, groups_of, problem);
  if (!problem.empty()) {
    complain(Variable::KMP_HW_SUBSET, *text, problem, "all CPUs");
    return available;
  }
  applied = *text;
  return cpus;
}

ProcBind read_teams_policy() {
  constexpr Variable teams_variable = Variable::KMP_TEAMS_PROC_BIND;
  const auto text = environment_value(teams_variable);
  if (!text)
    return ProcBind::Spread;
  const auto policies = parse_proc_bind(*text);
  if (policies && policies->size() == 1)
    return policies->front();
  complain(teams_variable, *text, "neither true, false, primary, close nor spread", "spread");
  return ProcBind::Spread;
}

std::vector<int> online_cpus(const std::vector<int>& otherwise) {
  const int file = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return otherwise;
  char text[4096];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  const auto cpus = length > 0 ? parse_cpu_list({text, size_t(length)}) : std::nullopt;
  return cpus.value_or(otherwise);
}

} // namespace hetmp::affinity
