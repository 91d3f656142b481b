#include "runtime/affinity/environment.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "runtime/affinity/kmp_environment.hpp"
#include "runtime/affinity/topology.hpp"

#include <atomic>
#include <pthread.h>
#include <string>

namespace hetmp::affinity {
namespace {

constexpr const char* nothing_bound = "no places";

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
  const auto text = environment_value(Variable::OMP_PROC_BIND);
  if (!text)
    return {};
  auto policies = parse_proc_bind(*text);
  if (!policies)
    complain(Variable::OMP_PROC_BIND, *text, "neither true, false nor a list of primary, close, spread", "false");
  return policies ? policies : std::vector{ProcBind::False};
}

/// Places that nobody has asked for in due form: those of the level, or single CPUs where the machine does not tell of
/// it.
void take_usual_places(TopologyLevel level, const std::vector<int>& available, ProgramPlaces& result) {
  std::string problem;
  int missing; // of course: the machine has CPUs that are not the process's
  result.places = restrict_to(places_of_level(level, available, problem), available, missing);
  result.level = format_level(level);
  if (!result.places.empty())
    return;
  result.places = places_of_level(TopologyLevel::Threads, available, problem);
  result.level = "threads";
}

/// Those of a named level, within what the process may use.
void take_level(const PlaceRequest& request, std::string_view text, const std::vector<int>& available,
                ProgramPlaces& result) {
  std::string problem;
  int missing; // likewise
  result.places = restrict_to(places_of_level(*request.level, available, problem), available, missing);
  result.level = format_level(*request.level, request.most);
  if (result.places.empty()) {
    complain(Variable::OMP_PLACES, text, problem.empty() ? "none of them has a CPU for this process" : problem,
             "threads");
    result.places = places_of_level(TopologyLevel::Threads, available, problem);
    result.level = "threads";
  }
  if (request.most != 0 && result.places.size() > request.most)
    result.places.resize(request.most);
}

std::vector<Place> available_places(Variable variable, std::string_view text, const std::vector<Place>& places,
                                    const std::vector<int>& available) {
  int missing = -1;
  std::vector<Place> left = restrict_to(places, available, missing);
  if (missing >= 0)
    complain(variable, text, "CPU " + std::to_string(missing) + " is not available to this process",
             left.empty() ? nothing_bound : "the CPUs that are");
  return left;
}

void take_omp_places(std::string_view text, const std::vector<int>& available, ProgramPlaces& result) {
  const ParsedPlaces parsed = parse_places(text);
  if (!parsed.request) {
    complain(Variable::OMP_PLACES, text, parsed.error, format_level(parsed.otherwise));
    take_usual_places(parsed.otherwise, available, result);
  } else if (parsed.request->level) {
    take_level(*parsed.request, text, available, result);
  } else {
    result.places = available_places(Variable::OMP_PLACES, text, parsed.request->places, available);
  }
}

std::vector<Place> read_gomp_places(std::string_view text, const std::vector<int>& available) {
  const auto places = parse_cpu_affinity(text);
  if (!places) {
    complain(Variable::GOMP_CPU_AFFINITY, text, "not a list of CPUs like 0 2-5 8-14:2", nothing_bound);
    return {};
  }
  return available_places(Variable::GOMP_CPU_AFFINITY, text, *places, available);
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
  const auto last =
      parse_integer(item.substr(dash + 1, colon == item.npos ? item.npos : colon - dash - 1), 0, greatest_cpu);
  const auto stride =
      colon == item.npos ? std::optional<int64_t>(1) : parse_integer(item.substr(colon + 1), 1, greatest_cpu);
  if (!first || !last || !stride || *last < *first || (colon != item.npos && colon < dash))
    return false;
  for (int64_t cpu = *first; cpu <= *last; cpu += *stride)
    places.push_back({int(cpu)});
  return true;
}

/// What the variables of OpenMP and libgomp ask for, `available` being a part of the machine if `in_part`.
void take_standard_places(const std::vector<int>& available, bool in_part, ProgramPlaces& result) {
  const auto policies = read_proc_bind();
  const auto omp = environment_value(Variable::OMP_PLACES);
  const auto gomp = omp || policies ? std::nullopt : environment_value(Variable::GOMP_CPU_AFFINITY);
  ProcBind usual = ProcBind::Spread;
  if (omp) {
    take_omp_places(*omp, available, result);
  } else if (gomp) {
    result.places = read_gomp_places(*gomp, available);
    usual = ProcBind::True;
  } else if (policies) {
    if (policies->front() != ProcBind::False)
      take_usual_places(TopologyLevel::Cores, available, result);
  } else if (in_part) { // that alone says where threads run: anywhere in it
    result.places = {available};
    usual = ProcBind::True;
  }
  result.policies = policies.value_or(std::vector{result.places.empty() ? ProcBind::False : usual});
}

void take_places(ProgramPlaces& result) {
  const bool disabled = result.kmp.type == AffinityType::Disabled;
  std::vector<int> available = result.kmp.respect ? result.cpus : online_cpus(result.cpus);
  if (!disabled)
    available = read_subset(available, result.subset);
  result.usable_cpus = available.size();
  if (!result.kmp.type) {
    take_standard_places(available, !result.subset.empty(), result);
  } else if (binds(result.kmp)) {
    result.places = kmp_places(result.kmp, available);
    if (!result.places.empty())
      result.policies = {kmp_policy(result.kmp)};
  }
  result.teams_policy = read_teams_policy();
}

/// Each variable that asks for places is told that there are none.
void refuse_places(const KmpAffinity& kmp) {
  const auto refuse = [](Variable variable) {
    if (const auto text = environment_value(variable))
      complain(variable, *text, "with several nodes, threads are bound to the CPUs of their node", "that");
  };
  if (environment_value(Variable::KMP_HW_SUBSET))
    refuse(Variable::KMP_HW_SUBSET);
  if (kmp.type) {
    if (binds(kmp))
      refuse(Variable::KMP_AFFINITY);
    return;
  }
  const auto policies = read_proc_bind();
  if (policies && policies->front() == ProcBind::False)
    return;
  for (const Variable variable : {Variable::OMP_PLACES, Variable::OMP_PROC_BIND, Variable::GOMP_CPU_AFFINITY})
    if (environment_value(variable)) {
      refuse(variable);
      return;
    }
}

void describe(const ProgramPlaces& result) {
  say("KMP_AFFINITY: CPUs %s, places %s, policy %s", format_cpu_list(result.cpus).c_str(),
      result.places.empty() ? "none" : format_places(result.places).c_str(), format_policies(result.policies).c_str());
}

/// The program's places, which are made of the environment when somebody first asks for them.
class PlacesOnDemand {
 public:
  /// Of the process. Never destroyed: threads may still ask while the program's static objects are being destroyed.
  static PlacesOnDemand& instance() {
    static PlacesOnDemand& places = *new PlacesOnDemand;
    return places;
  }

  /// What they will be made of.
  void prepare(const std::vector<int>& available, bool several_nodes) {
    available_ = available;
    several_nodes_ = several_nodes;
    unread_.store(true, std::memory_order_release); // pairs with get()
  }

  const ProgramPlaces& get() {
    if (unread_.load(std::memory_order_acquire)) [[unlikely]] // pairs with prepare() and read()
      pthread_once(&once_, [] { instance().read(); });
    return places_;
  }

 private:
  void read() {
    places_ = places_from_environment(available_, several_nodes_);
    unread_.store(false, std::memory_order_release); // pairs with get()
  }

  std::vector<int> available_;
  bool several_nodes_ = false;
  std::atomic<bool> unread_{false}; ///< released with what it tells of, acquired by get()
  pthread_once_t once_ = PTHREAD_ONCE_INIT;
  ProgramPlaces places_; ///< written once
};

} // namespace

const ProgramPlaces& program_places() { return PlacesOnDemand::instance().get(); }

void prepare_places(const std::vector<int>& available, bool several_nodes) {
  PlacesOnDemand::instance().prepare(available, several_nodes);
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
  ProgramPlaces result;
  result.kmp = read_kmp_affinity();
  result.cpus = available;
  const bool complaints = set_complaints(result.kmp.warnings && complaints_are_wanted());
  if (several_nodes)
    refuse_places(result.kmp);
  else
    take_places(result);
  set_complaints(complaints);
  if (result.kmp.verbose)
    describe(result);
  return result;
}

} // namespace hetmp::affinity
