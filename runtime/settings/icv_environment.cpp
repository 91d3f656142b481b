// Internal control variables from the environment (OpenMP 5.1, chapter 6, and the KMP_ names that libomp's
// users know). Every variable has one reader function; a malformed value costs one line and leaves the
// default.
#include "runtime/settings/icv.hpp"

#include "base/environment.hpp"
#include "base/machine/thread_room.hpp"
#include "base/variables/variable.hpp"
#include "runtime/settings/value_readers.hpp"
#include "schedulers/policies/schedule_text.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <string_view>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr int libomp_invalid_value = 42; // its warning about a value
constexpr int64_t most_loop_buffers = 4096;
constexpr int64_t most_helper_threads = 256;
constexpr size_t smallest_stack = 16 * 1024; // PTHREAD_STACK_MIN on x86-64: pthread_attr_setstacksize refuses less

std::vector<uint32_t> read_nthreads_by_level() {
  constexpr Variable name = Variable::OMP_NUM_THREADS;
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
    std::string limit;
    list.push_back(threads_with_room(uint32_t(*threads), limit));
    if (list.back() < *threads)
      complain(name, *value, "more than half of the threads that there can be (" + limit + ")",
               std::to_string(list.back()));
    if (comma == std::string_view::npos)
      return list;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<schedulers::Schedule> read_schedule_from(Variable name, std::string_view substitute) {
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
  const auto standard = read_schedule_from(Variable::OMP_SCHEDULE, "static");
  const auto own = read_schedule_from(Variable::HETMP_SCHEDULE, "OMP_SCHEDULE");
  const bool unsaid = !environment_value(Variable::OMP_SCHEDULE) && !environment_value(Variable::HETMP_SCHEDULE);
  return own ? *own : standard.value_or(schedulers::Schedule{.unsaid = unsaid});
}

WaitPolicy read_wait_policy() {
  constexpr Variable name = Variable::OMP_WAIT_POLICY;
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

/// KMP_LIBRARY says the same in libomp's words and wins; serial: no region has more than one thread.
void read_library(ProgramIcvs& icvs) {
  constexpr Variable name = Variable::KMP_LIBRARY;
  const auto value = environment_value(name);
  if (!value)
    return;
  if (equal_ignoring_case(*value, "turnaround"))
    icvs.wait_policy = WaitPolicy::Active;
  else if (equal_ignoring_case(*value, "throughput"))
    icvs.wait_policy = WaitPolicy::Default;
  else if (equal_ignoring_case(*value, "serial"))
    icvs.serial_library = true;
  else
    complain(name, *value, "neither serial, turnaround nor throughput", "throughput");
}

int read_blocktime_ms() {
  constexpr Variable name = Variable::KMP_BLOCKTIME;
  const auto value = environment_value(name);
  if (!value)
    return -1;
  const auto milliseconds = parse_milliseconds(*value);
  if (!milliseconds)
    complain(name, *value, "neither a time like 200, 50ms, 1s nor infinite", "the default");
  return milliseconds.value_or(-1);
}

/// libomp's variable counts bytes, libgomp's and the standard one count kilobytes.
size_t read_stack_bytes() {
  const Variable name = name_given(Variable::OMP_STACKSIZE);
  const auto value = environment_value(name);
  if (!value)
    return 0;
  constexpr int bytes_alone = 0, kilobytes_alone = 10;
  const auto bytes = parse_size(*value, name == Variable::KMP_STACKSIZE ? bytes_alone : kilobytes_alone);
  if (!bytes) {
    complain(name, *value, "not a size", "the system's default");
    return 0;
  }
  if (*bytes < smallest_stack)
    complain(name, *value, "too small for a thread", "16k");
  return std::max(*bytes, smallest_stack);
}

uint32_t read_thread_limit() {
  return uint32_t(read_integer(name_given(Variable::OMP_THREAD_LIMIT), 1, "no limit").value_or(INT_MAX));
}

AllocatorSetting read_allocator() {
  constexpr Variable name = Variable::OMP_ALLOCATOR;
  const auto value = environment_value(name);
  if (!value)
    return {};
  ParsedAllocator parsed = parse_allocator(*value);
  if (!parsed.error.empty())
    complain_as_libomp(libomp_invalid_value, name, *value, parsed.error, parsed.setting.text);
  return std::move(parsed.setting);
}

/// The number of loops that a team can have in hand is fixed (NodeTeam::loop_ring); but a number that makes no sense is
/// told.
void check_loop_buffers() {
  constexpr Variable name = Variable::KMP_DISP_NUM_BUFFERS;
  const auto value = environment_value(name);
  const auto number = value ? parse_integer(*value, INT64_MIN, INT64_MAX) : 1;
  if (number && *number >= 1 && *number <= most_loop_buffers)
    return;
  const char* problem = !number       ? "not a number"
                        : *number < 1 ? "too small, the least is 1"
                                      : "too large, the most is 4096";
  complain_as_libomp(libomp_invalid_value, name, *value, problem, "what is built in, as for all numbers");
}

ProgramIcvs::DisplayEnv read_display_env() {
  constexpr Variable name = Variable::OMP_DISPLAY_ENV;
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
  const auto levels = read_integer(Variable::OMP_MAX_ACTIVE_LEVELS, 0, "the default");
  const auto nested = read_boolean(Variable::OMP_NESTED, "false");
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
    complain(Variable::OMP_TARGET_OFFLOAD, text, "neither disabled nor default nor mandatory", "default");
  return TargetOffload::Default;
}

/// LIBOMP_USE_HIDDEN_HELPER_TASK=false: none.
uint32_t read_helper_threads() {
  constexpr uint32_t usual = 8;
  constexpr Variable name = Variable::LIBOMP_NUM_HIDDEN_HELPER_THREADS;
  const bool used = read_boolean(Variable::LIBOMP_USE_HIDDEN_HELPER_TASK, "true").value_or(true);
  const int64_t wanted = read_integer(name, 0, std::to_string(usual)).value_or(usual);
  if (wanted > most_helper_threads)
    complain(name, *environment_value(name), "more than " + std::to_string(most_helper_threads),
             std::to_string(most_helper_threads));
  return used ? uint32_t(std::min<int64_t>(wanted, most_helper_threads)) : 0;
}

ProgramIcvs read_icvs_from_environment(uint32_t available_cpus) {
  ProgramIcvs icvs;
  icvs.nthreads_by_level = read_nthreads_by_level();
  icvs.wait_policy = read_wait_policy();
  read_library(icvs);
  icvs.stack_bytes = read_stack_bytes();
  icvs.cancellation = read_boolean(Variable::OMP_CANCELLATION, "false").value_or(false);
  icvs.max_task_priority = uint32_t(read_integer(Variable::OMP_MAX_TASK_PRIORITY, 0, "0").value_or(0));
  if (const auto offload = environment_value(Variable::OMP_TARGET_OFFLOAD))
    icvs.target_offload = parse_target_offload(*offload);
  icvs.helper_threads = read_helper_threads();
  icvs.task_throttling = read_boolean(Variable::KMP_ENABLE_TASK_THROTTLING, "true").value_or(true);
  icvs.thread_limit = read_thread_limit();
  icvs.teams = int(read_integer(Variable::OMP_NUM_TEAMS, 1, "the default").value_or(0));
  icvs.teams_thread_limit = int(read_integer(Variable::OMP_TEAMS_THREAD_LIMIT, 1, "no limit").value_or(0));
  icvs.most_teams = int(read_integer(Variable::KMP_TEAMS_THREAD_LIMIT, 1, "no limit").value_or(0));
  icvs.blocktime_ms = read_blocktime_ms();
  icvs.allocator = read_allocator();
  check_loop_buffers();
  icvs.warnings = read_boolean(Variable::KMP_WARNINGS, "true").value_or(true);
  icvs.duplicate_library_ok = read_boolean(Variable::KMP_DUPLICATE_LIB_OK, "false").value_or(false);
  icvs.show_settings = read_boolean(Variable::KMP_SETTINGS, "false").value_or(false);
  icvs.show_version = read_boolean(Variable::KMP_VERSION, "false").value_or(false);
  icvs.display_env = read_display_env();

  TaskIcvs& initial = icvs.initial;
  initial.nthreads = icvs.nthreads_by_level.empty() ? std::max(available_cpus, 1u) : icvs.nthreads_by_level[0];
  initial.dynamic = read_boolean(Variable::OMP_DYNAMIC, "false").value_or(false);
  initial.max_active_levels = read_max_active_levels(icvs.nthreads_by_level.size() > 1);
  if (icvs.serial_library)
    initial.max_active_levels = 0;
  initial.run_schedule = read_schedule();
  initial.default_device = int32_t(read_integer(Variable::OMP_DEFAULT_DEVICE, 0, "0").value_or(0));
  initial.thread_limit = icvs.thread_limit;
  return icvs;
}

ProgramIcvs& program_icvs() {
  // Never destroyed: threads may still ask while the program's static objects are being destroyed.
  static ProgramIcvs& icvs = *new ProgramIcvs;
  return icvs;
}

} // namespace hetmp::runtime
