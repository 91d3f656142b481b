// A libFuzzer target: the words of all environment variables, of options of the same kinds, and of the strings that
// compilers describe places in the source with. Each input goes to every reader. It is a fault, besides what the
// sanitizers find, when a value does not survive being written and read again, when it is outside of what its reader
// promises, and when text is refused without a reason.
#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/machine/cpu_quota.hpp"
#include "dsm/ahead/prefetch_choice.hpp"
#include "perf/report/region_record.hpp"
#include "runtime/affinity/affinity_format.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/affinity/hardware_subset.hpp"
#include "runtime/affinity/kmp_affinity_value.hpp"
#include "runtime/affinity/place_list.hpp"
#include "runtime/launch/hosts.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/settings/allocator_setting.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/settings/value_readers.hpp"
#include "schedulers/arithmetic/core_speeds.hpp"
#include "schedulers/policies/schedule_text.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string>

using namespace hetmp;
using fuzz::check;

namespace {

const std::vector<int> available = {0, 1, 2, 3, 5, 8};

/// A value or a reason.
template <class Parsed> void check_reason(const Parsed& parsed, bool right) {
  check(right == parsed.error.empty(), "neither a value nor a reason, or both");
}

void numbers(std::string_view text) {
  if (const auto value = parse_integer(text, -5, 1000))
    check(*value >= -5 && *value <= 1000, "out of range");
  parse_real(text);
  parse_boolean(text);
  for (const int shift : {0, 10})
    if (const auto bytes = runtime::parse_size(text, shift))
      check(*bytes >= 1 && *bytes <= size_t(INT64_MAX), "no size");
  if (const auto time = runtime::parse_milliseconds(text))
    check(*time >= 0, "a negative time");
  if (const auto quota = parse_cpu_max(text))
    check(*quota > 0, "no quota");
}

void schedules(std::string_view text) {
  const auto parsed = schedulers::parse_schedule(text);
  check_reason(parsed, parsed.schedule.has_value());
  if (parsed.schedule) {
    const std::string written = schedulers::format_schedule(*parsed.schedule);
    const auto again = schedulers::parse_schedule(written);
    check(again.schedule && schedulers::format_schedule(*again.schedule) == written, "a schedule changes");
  }
  const auto in_node = schedulers::parse_in_node_schedule(text);
  check_reason(in_node, in_node.schedule.has_value());
  const auto speeds = schedulers::parse_core_speeds(text);
  check_reason(speeds, speeds.speeds.has_value());
  if (speeds.speeds)
    check(std::all_of(speeds.speeds->of_node.begin(), speeds.speeds->of_node.end(),
                      [](double speed) { return speed >= 0 && speed <= 1e300; }),
          "no speed");
}

void cpus(std::string_view text) {
  if (const auto list = parse_cpu_list(text)) {
    check(!list->empty() && std::is_sorted(list->begin(), list->end()) && list->front() >= 0 && list->back() <= 4095,
          "no list of CPUs");
    check(parse_cpu_list(format_cpu_list(*list)) == list, "a list of CPUs changes");
  }
  if (const auto lists = parse_cpu_lists(text))
    check(parse_cpu_lists(format_cpu_lists(*lists)) == lists, "lists of CPUs change");
  const runtime::ParsedLayout parsed = runtime::parse_nodes(text, available);
  check(parsed.layout.nodes() >= 1 && parsed.layout.nodes() <= 64, "no number of nodes");
  for (const auto& node : parsed.layout.cpus)
    check(!node.empty(), "a node without CPUs");
}

void places(std::string_view text) {
  const auto parsed = affinity::parse_places(text);
  check_reason(parsed, parsed.request.has_value());
  if (parsed.request && !parsed.request->level) {
    const std::string written = affinity::format_places(parsed.request->places);
    const auto again = affinity::parse_places(written);
    check(again.request && again.request->places == parsed.request->places, "places change");
    int missing = -1;
    for (const affinity::Place& place : affinity::restrict_to(parsed.request->places, available, missing))
      check(!place.empty(), "a place without CPUs");
  }
  affinity::parse_cpu_affinity(text);
  if (const auto policies = affinity::parse_proc_bind(text))
    check(!policies->empty() && affinity::parse_proc_bind(affinity::format_policies(*policies)) == policies,
          "policies change");
}

std::vector<std::vector<int>> groups_of(affinity::TopologyLevel level) {
  switch (level) {
  case affinity::TopologyLevel::Threads:
    return {{0}, {1}, {2}, {3}, {5}, {8}};
  case affinity::TopologyLevel::Cores:
    return {{0, 1}, {2, 3}, {5}, {8}};
  default:
    return {{0, 1, 2, 3}, {5, 8}};
  }
}

void words_of_libomp(std::string_view text) {
  const auto parsed = affinity::parse_kmp_affinity(text);
  check_reason(parsed, parsed.value.has_value());
  if (parsed.value) {
    const std::string written = affinity::format_kmp_affinity(*parsed.value);
    const auto again = affinity::parse_kmp_affinity(written);
    check(again.value && affinity::format_kmp_affinity(*again.value) == written, "KMP_AFFINITY changes");
  }
  const auto subset = affinity::parse_subset(text);
  check_reason(subset, !subset.units.empty());
  std::string problem;
  const std::vector<int> left = affinity::subset_of(subset.units, available, groups_of, problem);
  check(left.empty() == !problem.empty() && std::includes(available.begin(), available.end(), left.begin(), left.end()),
        "no part of the machine");
}

void hosts(std::string_view text) {
  const auto parsed = launch::parse_hosts(text);
  if (!parsed.error.empty())
    return;
  check(parsed.hosts.size() >= 2 && parsed.hosts.size() <= 64, "no number of hosts");
  std::string error;
  const std::vector<std::vector<int>> machines(parsed.hosts.size(), available);
  const auto dealt = launch::deal_cpus(parsed.hosts, machines, error);
  check(dealt.empty() == !error.empty() && (dealt.empty() || dealt.size() == machines.size()), "CPUs dealt to nobody");
}

void other_words(std::string_view text) {
  runtime::parse_target_offload(text);
  dsm::parse_prefetch(std::string(text));
  perf::parse_source(text);
  const auto allocator = runtime::parse_allocator(text);
  if (allocator.error.empty()) {
    const auto again = runtime::parse_allocator(allocator.setting.text);
    check(again.error.empty() && again.setting == allocator.setting, "an allocator changes");
  }
  const std::string field = "12345";
  const affinity::AffinityFacts facts{field, field, field, field, field, field, field, field, field, field};
  constexpr size_t widest_field = 4096;
  check(affinity::expand_affinity_format(text, facts).size() <= widest_field * text.size(),
        "a small format makes a large text");
}

/// As a program finds them.
void variables(uint8_t which, const std::string& text) {
  static constexpr const char* names[] = {"OMP_NUM_THREADS",
                                          "OMP_WAIT_POLICY",
                                          "KMP_LIBRARY",
                                          "KMP_STACKSIZE",
                                          "GOMP_STACKSIZE",
                                          "OMP_STACKSIZE",
                                          "OMP_MAX_TASK_PRIORITY",
                                          "OMP_TARGET_OFFLOAD",
                                          "LIBOMP_NUM_HIDDEN_HELPER_THREADS",
                                          "KMP_ALL_THREADS",
                                          "KMP_DEVICE_THREAD_LIMIT",
                                          "KMP_MAX_THREADS",
                                          "OMP_THREAD_LIMIT",
                                          "OMP_NUM_TEAMS",
                                          "OMP_TEAMS_THREAD_LIMIT",
                                          "KMP_TEAMS_THREAD_LIMIT",
                                          "KMP_BLOCKTIME",
                                          "OMP_ALLOCATOR",
                                          "KMP_DISP_NUM_BUFFERS",
                                          "OMP_DISPLAY_ENV",
                                          "OMP_DYNAMIC",
                                          "OMP_MAX_ACTIVE_LEVELS",
                                          "OMP_NESTED",
                                          "OMP_SCHEDULE",
                                          "HETMP_SCHEDULE",
                                          "OMP_DEFAULT_DEVICE",
                                          "OMP_CANCELLATION",
                                          "OMP_PLACES",
                                          "OMP_PROC_BIND",
                                          "GOMP_CPU_AFFINITY",
                                          "KMP_AFFINITY",
                                          "KMP_HW_SUBSET",
                                          "KMP_TEAMS_PROC_BIND",
                                          "KMP_HIDDEN_HELPER_AFFINITY",
                                          "HETMP_NODES"};
  const char* name = names[which % std::size(names)];
  setenv(name, text.c_str(), 1);
  const runtime::ProgramIcvs icvs = runtime::read_icvs_from_environment(4);
  check(icvs.initial.nthreads >= 1 && icvs.thread_limit >= 1 && icvs.thread_limit <= INT_MAX &&
            icvs.helper_threads <= 256 && (icvs.stack_bytes == 0 || icvs.stack_bytes >= 16384),
        "an impossible setting");
  const affinity::ProgramPlaces places = affinity::places_from_environment(available, false);
  check(!places.policies.empty(), "no policy");
  for (const affinity::Place& place : places.places)
    check(!place.empty(), "a place without CPUs");
  unsetenv(name);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  set_complaints(false);
  return 0;
}

/// The first byte chooses the variable that has the rest as value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  numbers(text);
  schedules(text);
  cpus(text);
  places(text);
  words_of_libomp(text);
  hosts(text);
  other_words(text);
  variables(data[0], std::string(text));
  return 0;
}
