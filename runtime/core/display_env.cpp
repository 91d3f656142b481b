// The text of OMP_DISPLAY_ENV and omp_display_env: the specification's frame around one line for each
// variable.
#include "runtime/affinity/environment.hpp"
#include "runtime/core/icv.hpp"

#include "base/environment.hpp"
#include "schedulers/parse.hpp"

#include <algorithm>
#include <cctype>
#include <climits>

namespace hetmp::runtime {
namespace {

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

void add(std::string& text, const char* name, const std::string& value) {
  text += std::string("  [host] ") + name + "='" + value + "'\n";
}

std::string boolean(bool value) {
  return value ? "TRUE" : "FALSE";
}

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

} // namespace

std::string display_environment(const ProgramIcvs& icvs, bool verbose) {
  const TaskIcvs& initial = icvs.initial;
  std::string text = "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n   _OPENMP='201611'\n";
  add(text, "OMP_CANCELLATION", boolean(icvs.cancellation));
  add(text, "OMP_DEFAULT_DEVICE", std::to_string(initial.default_device));
  add(text, "OMP_DISPLAY_ENV",
      icvs.display_env == ProgramIcvs::DisplayEnv::Verbose
          ? "VERBOSE"
          : boolean(icvs.display_env == ProgramIcvs::DisplayEnv::Yes));
  add(text, "OMP_DYNAMIC", boolean(initial.dynamic));
  add(text, "OMP_MAX_ACTIVE_LEVELS", std::to_string(initial.max_active_levels));
  add(text, "OMP_MAX_TASK_PRIORITY", std::to_string(icvs.max_task_priority));
  add(text, "OMP_NESTED", boolean(initial.max_active_levels > 1));
  add(text, "OMP_NUM_THREADS", nthreads_list(icvs));
  add(text, "OMP_PLACES", affinity::format_places(affinity::program_places().places));
  add(text, "OMP_PROC_BIND", affinity::format_policies(affinity::program_places().policies));
  add(text, "OMP_SCHEDULE", upper_case(schedulers::format_schedule(initial.run_schedule)));
  add(text, "OMP_STACKSIZE", size_text(icvs.stack_bytes));
  add(text, "OMP_TARGET_OFFLOAD",
      icvs.target_offload == TargetOffload::Disabled    ? "DISABLED"
      : icvs.target_offload == TargetOffload::Mandatory ? "MANDATORY"
                                                        : "DEFAULT");
  add(text, "OMP_THREAD_LIMIT", std::to_string(icvs.thread_limit));
  add(text, "OMP_WAIT_POLICY", icvs.wait_policy == WaitPolicy::Active ? "ACTIVE" : "PASSIVE");
  if (verbose) {
    add(text, "KMP_BLOCKTIME", blocktime_text(icvs.blocktime_ms));
    add(text, "KMP_ENABLE_TASK_THROTTLING", boolean(icvs.task_throttling));
  }
  text += "OPENMP DISPLAY ENVIRONMENT END\n\n";
  return text;
}

} // namespace hetmp::runtime
