// What variables come to, and the text of OMP_DISPLAY_ENV and omp_display_env: the specification's frame around one
// line for each.
#include "runtime/settings/settings.hpp"

#include "runtime/affinity/environment.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <algorithm>
#include <cctype>
#include <climits>

namespace hetmp::runtime {
namespace {

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

std::string boolean(bool value) { return value ? "TRUE" : "FALSE"; }

std::string nthreads_list(const ProgramIcvs& icvs) {
  if (icvs.nthreads_by_level.empty())
    return std::to_string(icvs.initial.nthreads);
  std::string list;
  for (uint32_t threads : icvs.nthreads_by_level)
    list += (list.empty() ? "" : ",") + std::to_string(threads);
  return list;
}

/// In the largest unit that says it exactly; 0 is the system's default size.
std::string size_text(size_t bytes) {
  const char* units[] = {"B", "K", "M", "G", "T"};
  size_t unit = 0;
  while (unit < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

std::string blocktime_text(int milliseconds) {
  if (milliseconds < 0)
    return "";
  return milliseconds == INT_MAX ? "infinite" : std::to_string(milliseconds);
}

std::string display_env_text(ProgramIcvs::DisplayEnv wish) {
  return wish == ProgramIcvs::DisplayEnv::Verbose ? "VERBOSE" : boolean(wish == ProgramIcvs::DisplayEnv::Yes);
}

std::string places_text(const affinity::ProgramPlaces& places) {
  return places.level.empty() ? affinity::format_places(places.places) : places.level;
}

std::string offload_text(TargetOffload offload) {
  switch (offload) {
  case TargetOffload::Disabled:
    return "DISABLED";
  case TargetOffload::Mandatory:
    return "MANDATORY";
  case TargetOffload::Default:
    break;
  }
  return "DEFAULT";
}

const char* library_text(const ProgramIcvs& icvs) {
  if (icvs.serial_library)
    return "serial";
  return icvs.wait_policy == WaitPolicy::Active ? "turnaround" : "throughput";
}

/// The variable as a line of the display, with a remark behind it.
void add_line(std::string& text, const Setting& setting, const char* remark = "") {
  text += "  [host] " + setting.name + "='" + setting.value + "'" + remark + "\n";
}

} // namespace

std::vector<Setting> standard_settings(const ProgramIcvs& icvs) {
  const TaskIcvs& initial = icvs.initial;
  const affinity::ProgramPlaces& places = affinity::program_places();
  return {
      {"OMP_ALLOCATOR", icvs.allocator.text},
      {"OMP_CANCELLATION", boolean(icvs.cancellation)},
      {"OMP_DEFAULT_DEVICE", std::to_string(initial.default_device)},
      {"OMP_DISPLAY_ENV", display_env_text(icvs.display_env)},
      {"OMP_DYNAMIC", boolean(initial.dynamic)},
      {"OMP_MAX_ACTIVE_LEVELS", std::to_string(initial.max_active_levels)},
      {"OMP_MAX_TASK_PRIORITY", std::to_string(icvs.max_task_priority)},
      {"OMP_NESTED", boolean(initial.max_active_levels > 1)},
      {"OMP_NUM_TEAMS", std::to_string(icvs.teams)},
      {"OMP_NUM_THREADS", nthreads_list(icvs)},
      {"OMP_PLACES", places_text(places)},
      {"OMP_PROC_BIND", affinity::format_policies(places.policies)},
      {"OMP_SCHEDULE", upper_case(schedulers::format_schedule(initial.run_schedule))},
      {"OMP_STACKSIZE", size_text(icvs.stack_bytes)},
      {"OMP_TARGET_OFFLOAD", offload_text(icvs.target_offload)},
      {"OMP_TEAMS_THREAD_LIMIT", std::to_string(icvs.teams_thread_limit)},
      {"OMP_THREAD_LIMIT", std::to_string(icvs.thread_limit)},
      {"OMP_WAIT_POLICY", icvs.wait_policy == WaitPolicy::Active ? "ACTIVE" : "PASSIVE"},
  };
}

std::vector<Setting> libomp_settings(const ProgramIcvs& icvs) {
  const affinity::ProgramPlaces& places = affinity::program_places();
  return {
      {"KMP_AFFINITY", affinity::format_kmp_affinity(places.kmp)},
      {"KMP_BLOCKTIME", blocktime_text(icvs.blocktime_ms)},
      {"KMP_DUPLICATE_LIB_OK", boolean(icvs.duplicate_library_ok)},
      {"KMP_ENABLE_TASK_THROTTLING", boolean(icvs.task_throttling)},
      {"KMP_HW_SUBSET", places.subset},
      {"KMP_LIBRARY", library_text(icvs)},
      {"KMP_SETTINGS", boolean(icvs.show_settings)},
      {"KMP_TEAMS_PROC_BIND", affinity::format_policies({places.teams_policy})},
      {"KMP_TEAMS_THREAD_LIMIT", std::to_string(icvs.most_teams)},
      {"KMP_VERSION", boolean(icvs.show_version)},
      {"KMP_WARNINGS", boolean(icvs.warnings)},
      {"LIBOMP_NUM_HIDDEN_HELPER_THREADS", std::to_string(icvs.helper_threads)},
      {"LIBOMP_USE_HIDDEN_HELPER_TASK", boolean(icvs.helper_threads != 0)},
  };
}

std::string display_text(const std::vector<Setting>& settings, const std::vector<Setting>& given,
                         const std::vector<std::string>& runtimes) {
  std::string text = "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n   _OPENMP='201611'\n";
  for (const Setting& setting : settings)
    add_line(text, setting);
  for (const Setting& setting : those_that_are(Following::Ignored, given))
    add_line(text, setting, " (ignored)");
  for (const Setting& setting : those_that_are(Following::Unknown, given))
    add_line(text, setting, " (unknown)");
  for (const std::string& runtime : runtimes)
    text += "  [host] another OpenMP runtime: " + runtime + "\n";
  return text + "OPENMP DISPLAY ENVIRONMENT END\n\n";
}

} // namespace hetmp::runtime
