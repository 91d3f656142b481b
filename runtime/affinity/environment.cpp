#include "runtime/affinity/environment.hpp"

#include "base/environment.hpp"
#include "runtime/affinity/topology.hpp"

#include <string>

namespace hetmp::affinity {
namespace {

constexpr const char* places_variable = "OMP_PLACES";
constexpr const char* bind_variable = "OMP_PROC_BIND";
constexpr const char* gomp_variable = "GOMP_CPU_AFFINITY";
constexpr const char* nothing_bound = "no places";
constexpr int greatest_cpu = 4095;

std::optional<ProcBind> policy_named(std::string_view name) {
  if (equal_ignoring_case(name, "primary") || equal_ignoring_case(name, "master"))
    return ProcBind::Primary;
  if (equal_ignoring_case(name, "close"))
    return ProcBind::Close;
  if (equal_ignoring_case(name, "spread"))
    return ProcBind::Spread;
  return {};
}

std::optional<std::vector<ProcBind>> read_proc_bind() {
  const auto text = environment_value(bind_variable);
  if (!text)
    return {};
  auto policies = parse_proc_bind(*text);
  if (!policies)
    complain(bind_variable, *text, "neither true, false nor a list of primary, close, spread", "false");
  return policies ? policies : std::vector{ProcBind::False};
}

/// Those of a named level, within what the process may use.
std::vector<Place> level_places(const PlaceRequest& request, std::string_view text, const std::vector<int>& available) {
  std::string problem;
  int missing; // of course: the machine has CPUs that are not the process's
  std::vector<Place> places = restrict_to(places_of_level(*request.level, available, problem), available, missing);
  if (places.empty()) {
    complain(places_variable, text, problem.empty() ? "none of them has a CPU for this process" : problem, "threads");
    places = places_of_level(TopologyLevel::Threads, available, problem);
  }
  if (request.most != 0 && places.size() > request.most)
    places.resize(request.most);
  return places;
}

std::vector<Place> available_places(const char* variable, std::string_view text, const std::vector<Place>& places,
                                    const std::vector<int>& available) {
  int missing = -1;
  std::vector<Place> left = restrict_to(places, available, missing);
  if (missing >= 0)
    complain(variable, text, "CPU " + std::to_string(missing) + " is not available to this process",
             left.empty() ? nothing_bound : "the CPUs that are");
  return left;
}

std::vector<Place> read_omp_places(std::string_view text, const std::vector<int>& available) {
  const ParsedPlaces parsed = parse_places(text);
  if (!parsed.request) {
    complain(places_variable, text, parsed.error, nothing_bound);
    return {};
  }
  if (parsed.request->level)
    return level_places(*parsed.request, text, available);
  return available_places(places_variable, text, parsed.request->places, available);
}

std::vector<Place> read_gomp_places(std::string_view text, const std::vector<int>& available) {
  const auto places = parse_cpu_affinity(text);
  if (!places) {
    complain(gomp_variable, text, "not a list of CPUs like 0 2-5 8-14:2", nothing_bound);
    return {};
  }
  return available_places(gomp_variable, text, *places, available);
}

ProgramPlaces& the_places() {
  // Never destroyed: threads may still ask while the program's static objects are being destroyed.
  static ProgramPlaces& places = *new ProgramPlaces;
  return places;
}

/// One CPU or a range of them.
bool add_range(std::string_view item, std::vector<Place>& places) {
  const size_t dash = item.find('-');
  const size_t colon = item.find(':');
  const auto first = parse_integer(item.substr(0, std::min(dash, colon)), 0, greatest_cpu);
  if (dash == item.npos) {
    if (first)
      places.push_back({int(*first)});
    return first && colon == item.npos;
  }
  const auto last = parse_integer(item.substr(dash + 1, colon == item.npos ? item.npos : colon - dash - 1), 0, greatest_cpu);
  const auto stride = colon == item.npos ? std::optional<int64_t>(1) : parse_integer(item.substr(colon + 1), 1, greatest_cpu);
  if (!first || !last || !stride || *last < *first || (colon != item.npos && colon < dash))
    return false;
  for (int64_t cpu = *first; cpu <= *last; cpu += *stride)
    places.push_back({int(cpu)});
  return true;
}

} // namespace

const ProgramPlaces& program_places() { return the_places(); }

void read_places(const std::vector<int>& available, bool several_nodes) {
  the_places() = places_from_environment(available, several_nodes);
}

std::optional<std::vector<ProcBind>> parse_proc_bind(std::string_view text) {
  if (const auto truth = parse_boolean(text))
    return std::vector{*truth ? ProcBind::Spread : ProcBind::False};
  std::vector<ProcBind> policies;
  while (true) {
    const size_t comma = text.find(',');
    const auto policy = policy_named(trimmed(text.substr(0, comma)));
    if (!policy)
      return {};
    policies.push_back(*policy);
    if (comma == text.npos)
      return policies;
    text.remove_prefix(comma + 1);
  }
}

std::string format_policies(const std::vector<ProcBind>& policies) {
  constexpr const char* names[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
  std::string text;
  for (const ProcBind policy : policies)
    text += (text.empty() ? "" : ",") + std::string(names[uint8_t(policy)]);
  return text;
}

std::optional<std::vector<Place>> parse_cpu_affinity(std::string_view text) {
  std::vector<Place> places;
  while (true) {
    const size_t begin = text.find_first_not_of(" ,\t");
    if (begin == text.npos)
      break;
    text.remove_prefix(begin);
    const std::string_view item = text.substr(0, text.find_first_of(" ,\t"));
    if (!add_range(item, places))
      return {};
    text.remove_prefix(item.size());
  }
  return places.empty() ? std::nullopt : std::optional(places);
}

ProgramPlaces places_from_environment(const std::vector<int>& available, bool several_nodes) {
  const auto policies = read_proc_bind();
  const auto omp = environment_value(places_variable);
  const auto gomp = omp || policies ? std::nullopt : environment_value(gomp_variable);
  const bool bound = policies ? (*policies)[0] != ProcBind::False : omp || gomp;
  if (several_nodes) {
    const char* const variable = omp ? places_variable : gomp ? gomp_variable : bind_variable;
    if (bound)
      complain(variable, *environment_value(variable), "with several nodes, threads are bound to the CPUs of their node", "that");
    return {{}, {ProcBind::False}};
  }
  ProgramPlaces result;
  std::string problem;
  if (omp)
    result.places = read_omp_places(*omp, available);
  else if (gomp)
    result.places = read_gomp_places(*gomp, available);
  else if (bound) { // cores where the machine tells of them
    int missing;
    result.places = restrict_to(places_of_level(TopologyLevel::Cores, available, problem), available, missing);
    if (result.places.empty())
      result.places = places_of_level(TopologyLevel::Threads, available, problem);
  }
  const ProcBind usual = gomp ? ProcBind::True : ProcBind::Spread;
  result.policies = policies.value_or(std::vector{result.places.empty() ? ProcBind::False : usual});
  return result;
}

} // namespace hetmp::affinity
