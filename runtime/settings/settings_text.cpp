#include "runtime/settings/settings.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::runtime {
namespace {

constexpr std::string_view prefixes[] = {"OMP_", "KMP_", "GOMP_", "LIBOMP_", "HETMP_"};

constexpr std::string_view honoured[] = {"KMP_AFFINITY",
                                         "KMP_ALL_THREADS",
                                         "KMP_BLOCKTIME",
                                         "KMP_DETERMINISTIC_REDUCTION",
                                         "KMP_DEVICE_THREAD_LIMIT",
                                         "KMP_DUPLICATE_LIB_OK",
                                         "KMP_ENABLE_TASK_THROTTLING",
                                         "KMP_FORCE_REDUCTION",
                                         "KMP_HIDDEN_HELPER_AFFINITY",
                                         "KMP_HW_SUBSET",
                                         "KMP_LIBRARY",
                                         "KMP_MAX_THREADS",
                                         "KMP_SETTINGS",
                                         "KMP_STACKSIZE",
                                         "KMP_TEAMS_PROC_BIND",
                                         "KMP_TEAMS_THREAD_LIMIT",
                                         "KMP_VERSION",
                                         "KMP_WARNINGS",
                                         "LIBOMP_NUM_HIDDEN_HELPER_THREADS",
                                         "LIBOMP_USE_HIDDEN_HELPER_TASK"};

/// Tuning, debugging and descriptions of parts that libomp has and this runtime has not, or has no choice about.
constexpr std::string_view ignored[] = {"KMP_ABORT_DELAY",
                                        "KMP_ADAPTIVE_LOCK_PROPS",
                                        "KMP_ALIGN_ALLOC",
                                        "KMP_ALL_THREADPRIVATE",
                                        "KMP_ATOMIC_MODE",
                                        "KMP_A_DEBUG",
                                        "KMP_B_DEBUG",
                                        "KMP_CONSISTENCY_CHECK",
                                        "KMP_CPUINFO_FILE",
                                        "KMP_C_DEBUG",
                                        "KMP_DEBUG",
                                        "KMP_DEBUG_BUF",
                                        "KMP_DEBUG_BUF_ATOMIC",
                                        "KMP_DEBUG_BUF_CHARS",
                                        "KMP_DEBUG_BUF_LINES",
                                        "KMP_DIAG",
                                        "KMP_DISP_NUM_BUFFERS",
                                        "KMP_DUMP_CATALOG",
                                        "KMP_DYNAMIC_MODE",
                                        "KMP_D_DEBUG",
                                        "KMP_E_DEBUG",
                                        "KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE",
                                        "KMP_FOREIGN_THREADS_THREADPRIVATE",
                                        "KMP_FORKJOIN_BARRIER",
                                        "KMP_FORKJOIN_BARRIER_PATTERN",
                                        "KMP_FORKJOIN_FRAMES",
                                        "KMP_FORKJOIN_FRAMES_MODE",
                                        "KMP_FOR_TCHECK",
                                        "KMP_FOR_TPROFILE",
                                        "KMP_F_DEBUG",
                                        "KMP_GTID_MODE",
                                        "KMP_HANDLE_SIGNALS",
                                        "KMP_HOT_TEAMS_MAX_LEVEL",
                                        "KMP_HOT_TEAMS_MODE",
                                        "KMP_IGNORE_MPPBEG",
                                        "KMP_IGNORE_MPPEND",
                                        "KMP_INHERIT_FP_CONTROL",
                                        "KMP_INITIAL_THREAD_BIND",
                                        "KMP_INIT_AT_FORK",
                                        "KMP_ITT_PREPARE_DELAY",
                                        "KMP_LOAD_BALANCE_INTERVAL",
                                        "KMP_LOCK_KIND",
                                        "KMP_MALLOC_POOL_INCR",
                                        "KMP_MONITOR_STACKSIZE",
                                        "KMP_MWAIT_HINTS",
                                        "KMP_NESTING_MODE",
                                        "KMP_NUM_LOCKS_IN_BLOCK",
                                        "KMP_PAR_RANGE",
                                        "KMP_PLACE_THREADS",
                                        "KMP_PLAIN_BARRIER",
                                        "KMP_PLAIN_BARRIER_PATTERN",
                                        "KMP_REDUCTION_BARRIER",
                                        "KMP_REDUCTION_BARRIER_PATTERN",
                                        "KMP_SCHEDULE",
                                        "KMP_SPECULATIVE_STATSFILE",
                                        "KMP_SPIN_BACKOFF_PARAMS",
                                        "KMP_STACKOFFSET",
                                        "KMP_STACKPAD",
                                        "KMP_STATS_EVENTS",
                                        "KMP_STATS_EVENTS_FILE",
                                        "KMP_STATS_FILE",
                                        "KMP_STATS_THREADS",
                                        "KMP_STORAGE_MAP",
                                        "KMP_TASKING",
                                        "KMP_TASKLOOP_MIN_TASKS",
                                        "KMP_TASK_STEALING_CONSTRAINT",
                                        "KMP_TDATA_GTID",
                                        "KMP_TOPOLOGY_METHOD",
                                        "KMP_TPAUSE",
                                        "KMP_USER_LEVEL_MWAIT",
                                        "KMP_USE_YIELD"};

template <size_t N> bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_libomps(std::string_view name) { return name.starts_with("KMP_") || name.starts_with("LIBOMP_"); }

/// A heading and the variables, quoted if they are values of ours; nothing if there are none.
void add_block(std::string& text, const char* heading, const std::vector<Setting>& settings, const char* quote) {
  if (settings.empty())
    return;
  text += std::string("\n") + heading + "\n\n";
  for (const Setting& setting : settings)
    text += "   " + setting.name + '=' + quote + setting.value + quote + '\n';
}

} // namespace

Following following_of(std::string_view name) {
  if (contains(honoured, name))
    return Following::Honoured;
  return contains(ignored, name) ? Following::Ignored : Following::Unknown;
}

std::vector<Setting> those_that_are(Following following, const std::vector<Setting>& given) {
  std::vector<Setting> result;
  std::copy_if(given.begin(), given.end(), std::back_inserter(result), [&](const Setting& setting) {
    return is_libomps(setting.name) && following_of(setting.name) == following;
  });
  return result;
}

std::vector<Setting> runtime_variables(const char* const* environment) {
  std::vector<Setting> variables;
  for (; environment && *environment; ++environment) {
    const std::string_view variable = *environment;
    const size_t equals = variable.find('=');
    const bool ours = std::any_of(std::begin(prefixes), std::end(prefixes),
                                  [&](std::string_view prefix) { return variable.starts_with(prefix); });
    if (ours && equals != variable.npos)
      variables.push_back({std::string(variable.substr(0, equals)), std::string(variable.substr(equals + 1))});
  }
  std::stable_sort(variables.begin(), variables.end(),
                   [](const Setting& a, const Setting& b) { return a.name < b.name; });
  variables.erase(std::unique(variables.begin(), variables.end(),
                              [](const Setting& a, const Setting& b) { return a.name == b.name; }),
                  variables.end());
  return variables;
}

std::string settings_text(const std::vector<Setting>& given, const std::vector<Setting>& effective,
                          const std::vector<std::string>& runtimes) {
  std::string text;
  add_block(text, "User settings:", given, "");
  add_block(text, "Effective settings:", effective, "'");
  add_block(text, "Ignored settings, of parts that hetmp does not have:", those_that_are(Following::Ignored, given),
            "");
  add_block(text, "Unknown settings:", those_that_are(Following::Unknown, given), "");
  if (!runtimes.empty())
    text += "\nOther OpenMP runtimes in this process:\n\n";
  for (const std::string& runtime : runtimes)
    text += "   " + runtime + '\n';
  return text + '\n';
}

} // namespace hetmp::runtime
