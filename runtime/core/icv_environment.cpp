// Internal control variables from the environment (OpenMP 5.1, chapter 6, and the KMP_ names that libomp's
// users know). Every variable has one reader function; a malformed value costs one line and leaves the
// default.
#include "runtime/core/icv.hpp"

#include "base/environment.hpp"
#include "schedulers/parse.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <string_view>

namespace hetmp::runtime {
namespace {

constexpr int64_t largest_int = INT_MAX;
constexpr size_t smallest_stack =
    16 * 1024; // PTHREAD_STACK_MIN on x86-64: pthread_attr_setstacksize refuses less

std::optional<int64_t> read_integer(const char* name, int64_t lowest, std::string_view substitute) {
  const auto value = environment_value(name);
  if (!value)
    return {};
  const auto number = parse_integer(*value, lowest, largest_int);
  if (!number)
    complain(name, *value, lowest > 0 ? "not a positive number" : "not a number from 0 up", substitute);
  return number;
}

std::optional<bool> read_boolean(const char* name, std::string_view substitute) {
  const auto value = environment_value(name);
  if (!value)
    return {};
  const auto truth = parse_boolean(*value);
  if (!truth)
    complain(name, *value, "neither true nor false", substitute);
  return truth;
}

std::vector<uint32_t> read_nthreads_by_level() {
  const char* name = "OMP_NUM_THREADS";
  const auto value = environment_value(name);
  std::vector<uint32_t> list;
  if (!value)
    return list;
  std::string_view rest = *value;
  while (true) {
    const size_t comma = rest.find(',');
    const auto threads = parse_integer(rest.substr(0, comma), 1, largest_int);
    if (!threads) {
      complain(name, *value, "not a list of positive numbers", "one thread per CPU");
      return {};
    }
    list.push_back(uint32_t(*threads));
    if (comma == std::string_view::npos)
      return list;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<schedulers::Schedule> read_schedule_from(const char* name, std::string_view substitute) {
  const auto value = environment_value(name);
  if (!value)
    return {};
  const auto parsed = schedulers::parse_schedule(*value);
  if (!parsed.schedule)
    complain(name, *value, parsed.error, substitute);
  return parsed.schedule;
}

/// HETMP_SCHEDULE decides: it can name schedules that other runtimes would complain about in OMP_SCHEDULE.
schedulers::Schedule read_schedule() {
  const auto standard = read_schedule_from("OMP_SCHEDULE", "static");
  const auto own = read_schedule_from("HETMP_SCHEDULE", "OMP_SCHEDULE");
  return own ? *own : standard.value_or(schedulers::Schedule{});
}

WaitPolicy read_wait_policy() {
  const char* name = "OMP_WAIT_POLICY";
  const auto value = environment_value(name);
  if (!value)
    return WaitPolicy::Default;
  if (equal_ignoring_case(*value, "active"))
    return WaitPolicy::Active;
  if (equal_ignoring_case(*value, "passive"))
    return WaitPolicy::Passive;
  complain(name, *value, "neither active nor passive", "the default policy");
  return WaitPolicy::Default;
}

int read_blocktime_ms() {
  const char* name = "KMP_BLOCKTIME";
  const auto value = environment_value(name);
  if (!value)
    return -1;
  if (equal_ignoring_case(*value, "infinite") || equal_ignoring_case(*value, "infinity"))
    return INT_MAX;
  std::string_view digits = *value;
  if (digits.ends_with("ms"))
    digits.remove_suffix(2);
  const auto milliseconds = parse_integer(digits, 0, largest_int);
  if (!milliseconds)
    complain(name, *value, "neither milliseconds nor infinite", "the default");
  return milliseconds ? int(*milliseconds) : -1;
}

/// The power of two that a unit letter stands for; nothing for other letters.
std::optional<int> shift_of_unit(char letter) {
  switch (letter | 0x20) { // lower case
  case 'b':
    return 0;
  case 'k':
    return 10;
  case 'm':
    return 20;
  case 'g':
    return 30;
  case 't':
    return 40;
  default:
    return {};
  }
}

/// "512k", "2 M", "64": bytes, or nothing when malformed. A number alone counts units of 2^`default_shift`
/// bytes.
std::optional<size_t> parse_size(std::string_view text, int default_shift) {
  text = trimmed(text);
  int shift = default_shift;
  if (!text.empty())
    if (const auto unit = shift_of_unit(text.back())) {
      shift = *unit;
      text.remove_suffix(1);
    }
  const auto count = parse_integer(text, 1, INT64_MAX >> shift);
  if (!count)
    return {};
  return size_t(*count) << shift;
}

size_t read_stack_bytes() {
  // libomp's order: its own variable, which counts bytes, before the standard one, which counts kilobytes.
  const bool own = environment_value("KMP_STACKSIZE").has_value();
  const char* name = own ? "KMP_STACKSIZE" : "OMP_STACKSIZE";
  const auto value = environment_value(name);
  if (!value)
    return 0;
  const auto bytes = parse_size(*value, own ? 0 : 10);
  if (!bytes) {
    complain(name, *value, "not a size", "the system's default");
    return 0;
  }
  if (*bytes < smallest_stack)
    complain(name, *value, "too small for a thread", "16k");
  return std::max(*bytes, smallest_stack);
}

ProgramIcvs::DisplayEnv read_display_env() {
  const char* name = "OMP_DISPLAY_ENV";
  const auto value = environment_value(name);
  if (!value)
    return ProgramIcvs::DisplayEnv::No;
  if (equal_ignoring_case(*value, "verbose"))
    return ProgramIcvs::DisplayEnv::Verbose;
  const auto truth = parse_boolean(*value);
  if (!truth)
    complain(name, *value, "neither true, false nor verbose", "false");
  return truth.value_or(false) ? ProgramIcvs::DisplayEnv::Yes : ProgramIcvs::DisplayEnv::No;
}

/// OMP_MAX_ACTIVE_LEVELS decides; else the deprecated OMP_NESTED; else a list in OMP_NUM_THREADS asks for
/// nesting.
uint32_t read_max_active_levels(bool several_levels_listed) {
  const auto levels = read_integer("OMP_MAX_ACTIVE_LEVELS", 0, "the default");
  const auto nested = read_boolean("OMP_NESTED", "false");
  if (levels)
    return uint32_t(*levels);
  return nested.value_or(several_levels_listed) ? uint32_t(INT_MAX) : 1;
}

} // namespace

TargetOffload parse_target_offload(std::string_view text) {
  if (equal_ignoring_case(trimmed(text), "disabled"))
    return TargetOffload::Disabled;
  if (equal_ignoring_case(trimmed(text), "mandatory"))
    return TargetOffload::Mandatory;
  if (!equal_ignoring_case(trimmed(text), "default"))
    complain("OMP_TARGET_OFFLOAD", text, "neither disabled nor default nor mandatory", "default");
  return TargetOffload::Default;
}

ProgramIcvs read_icvs_from_environment(uint32_t available_cpus) {
  ProgramIcvs icvs;
  icvs.nthreads_by_level = read_nthreads_by_level();
  icvs.wait_policy = read_wait_policy();
  icvs.stack_bytes = read_stack_bytes();
  icvs.cancellation = read_boolean("OMP_CANCELLATION", "false").value_or(false);
  icvs.max_task_priority = uint32_t(read_integer("OMP_MAX_TASK_PRIORITY", 0, "0").value_or(0));
  if (const auto offload = environment_value("OMP_TARGET_OFFLOAD"))
    icvs.target_offload = parse_target_offload(*offload);
  icvs.task_throttling = read_boolean("KMP_ENABLE_TASK_THROTTLING", "true").value_or(true);
  icvs.thread_limit = uint32_t(read_integer("OMP_THREAD_LIMIT", 1, "no limit").value_or(INT_MAX));
  icvs.teams = int(read_integer("OMP_NUM_TEAMS", 1, "the default").value_or(0));
  icvs.teams_thread_limit = int(read_integer("OMP_TEAMS_THREAD_LIMIT", 1, "no limit").value_or(0));
  icvs.blocktime_ms = read_blocktime_ms();
  icvs.display_env = read_display_env();

  TaskIcvs& initial = icvs.initial;
  initial.nthreads =
      icvs.nthreads_by_level.empty() ? std::max(available_cpus, 1u) : icvs.nthreads_by_level[0];
  initial.dynamic = read_boolean("OMP_DYNAMIC", "false").value_or(false);
  initial.max_active_levels = read_max_active_levels(icvs.nthreads_by_level.size() > 1);
  initial.run_schedule = read_schedule();
  initial.default_device = int32_t(read_integer("OMP_DEFAULT_DEVICE", 0, "0").value_or(0));
  initial.thread_limit = icvs.thread_limit;
  return icvs;
}

ProgramIcvs& program_icvs() {
  // Never destroyed: threads may still ask while the program's static objects are being destroyed.
  static ProgramIcvs& icvs = *new ProgramIcvs;
  return icvs;
}

} // namespace hetmp::runtime
