// What variables come to, and the text of OMP_DISPLAY_ENV and omp_display_env: the specification's frame around one
// line for each.
#include "runtime/settings/settings.hpp"

#include "runtime/affinity/environment.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <algorithm>
#include <cctype>
#include <climits>
#include <span>

namespace hetmp::runtime {
namespace {

using affinity::program_places;

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

/// What a variable has come to.
struct Shown {
  Variable variable;
  std::string (*value)(const ProgramIcvs& icvs);
};

// By name, both.
constexpr Shown standard_ones[] = {
    {Variable::OMP_ALLOCATOR, [](const ProgramIcvs& icvs) { return icvs.allocator.text; }},
    {Variable::OMP_CANCELLATION, [](const ProgramIcvs& icvs) { return boolean(icvs.cancellation); }},
    {Variable::OMP_DEFAULT_DEVICE, [](const ProgramIcvs& icvs) { return std::to_string(icvs.initial.default_device); }},
    {Variable::OMP_DISPLAY_ENV, [](const ProgramIcvs& icvs) { return display_env_text(icvs.display_env); }},
    {Variable::OMP_DYNAMIC, [](const ProgramIcvs& icvs) { return boolean(icvs.initial.dynamic); }},
    {Variable::OMP_MAX_ACTIVE_LEVELS,
     [](const ProgramIcvs& icvs) { return std::to_string(icvs.initial.max_active_levels); }},
    {Variable::OMP_MAX_TASK_PRIORITY, [](const ProgramIcvs& icvs) { return std::to_string(icvs.max_task_priority); }},
    {Variable::OMP_NESTED, [](const ProgramIcvs& icvs) { return boolean(icvs.initial.max_active_levels > 1); }},
    {Variable::OMP_NUM_TEAMS, [](const ProgramIcvs& icvs) { return std::to_string(icvs.teams); }},
    {Variable::OMP_NUM_THREADS, [](const ProgramIcvs& icvs) { return nthreads_list(icvs); }},
    {Variable::OMP_PLACES, [](const ProgramIcvs&) { return places_text(program_places()); }},
    {Variable::OMP_PROC_BIND, [](const ProgramIcvs&) { return affinity::format_policies(program_places().policies); }},
    {Variable::OMP_SCHEDULE,
     [](const ProgramIcvs& icvs) { return upper_case(schedulers::format_schedule(icvs.initial.run_schedule)); }},
    {Variable::OMP_STACKSIZE, [](const ProgramIcvs& icvs) { return size_text(icvs.stack_bytes); }},
    {Variable::OMP_TARGET_OFFLOAD, [](const ProgramIcvs& icvs) { return offload_text(icvs.target_offload); }},
    {Variable::OMP_TEAMS_THREAD_LIMIT, [](const ProgramIcvs& icvs) { return std::to_string(icvs.teams_thread_limit); }},
    {Variable::OMP_THREAD_LIMIT, [](const ProgramIcvs& icvs) { return std::to_string(icvs.thread_limit); }},
    {Variable::OMP_WAIT_POLICY,
     [](const ProgramIcvs& icvs) {
       return std::string(icvs.wait_policy == WaitPolicy::Active ? "ACTIVE" : "PASSIVE");
     }},
};

constexpr Shown libomps[] = {
    {Variable::KMP_AFFINITY, [](const ProgramIcvs&) { return affinity::format_kmp_affinity(program_places().kmp); }},
    {Variable::KMP_BLOCKTIME, [](const ProgramIcvs& icvs) { return blocktime_text(icvs.blocktime_ms); }},
    {Variable::KMP_DUPLICATE_LIB_OK, [](const ProgramIcvs& icvs) { return boolean(icvs.duplicate_library_ok); }},
    {Variable::KMP_ENABLE_TASK_THROTTLING, [](const ProgramIcvs& icvs) { return boolean(icvs.task_throttling); }},
    {Variable::KMP_HW_SUBSET, [](const ProgramIcvs&) { return program_places().subset; }},
    {Variable::KMP_LIBRARY, [](const ProgramIcvs& icvs) { return std::string(library_text(icvs)); }},
    {Variable::KMP_SETTINGS, [](const ProgramIcvs& icvs) { return boolean(icvs.show_settings); }},
    {Variable::KMP_TEAMS_PROC_BIND,
     [](const ProgramIcvs&) { return affinity::format_policies({program_places().teams_policy}); }},
    {Variable::KMP_TEAMS_THREAD_LIMIT, [](const ProgramIcvs& icvs) { return std::to_string(icvs.most_teams); }},
    {Variable::KMP_VERSION, [](const ProgramIcvs& icvs) { return boolean(icvs.show_version); }},
    {Variable::KMP_WARNINGS, [](const ProgramIcvs& icvs) { return boolean(icvs.warnings); }},
    {Variable::LIBOMP_NUM_HIDDEN_HELPER_THREADS,
     [](const ProgramIcvs& icvs) { return std::to_string(icvs.helper_threads); }},
    {Variable::LIBOMP_USE_HIDDEN_HELPER_TASK,
     [](const ProgramIcvs& icvs) { return boolean(icvs.helper_threads != 0); }},
};

std::vector<Setting> values_of(std::span<const Shown> shown, const ProgramIcvs& icvs) {
  std::vector<Setting> settings;
  settings.reserve(shown.size());
  for (const Shown& one : shown)
    settings.emplace_back(one.variable, one.value(icvs));
  return settings;
}

} // namespace

std::vector<Setting> standard_settings(const ProgramIcvs& icvs) { return values_of(standard_ones, icvs); }
std::vector<Setting> libomp_settings(const ProgramIcvs& icvs) { return values_of(libomps, icvs); }

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
