// Internal control variables (OpenMP 5.1, section 2.4). Values only; their environment is read in
// runtime/icv_environment.
#pragma once

#include "runtime/affinity/seats.hpp"
#include "runtime/settings/allocator_setting.hpp"
#include "runtime/settings/contention_group.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::runtime {

/// ICVs with data-environment scope: each implicit task has its own copy, inherited by the tasks it generates.
/// Trivially copyable: it travels to other nodes in the message that starts a team.
struct TaskIcvs {
  uint32_t nthreads = 1;               ///< nthreads-var for the next parallel region (not yet overridden by level)
  bool nthreads_set_by_call = false;   ///< omp_set_num_threads was called: the per-level list no longer applies here
  bool dynamic = false;                ///< dyn-var
  uint32_t max_active_levels = 1;      ///< max-active-levels-var
  schedulers::Schedule run_schedule{}; ///< run-sched-var
  int32_t default_device = 0;
  uint32_t thread_limit = no_thread_limit;
  uintptr_t default_allocator =
      0; ///< def-allocator-var: a handle; 0: what OMP_ALLOCATOR asks for, which nobody has needed yet
  affinity::Partition places; ///< place-partition-var; empty: no places, or the thread has not been bound yet

  bool operator==(const TaskIcvs&) const = default;
};

/// What is to be done with target constructs; there is no device, and whoever asks decides.
enum class TargetOffload : uint8_t { Disabled, Default, Mandatory };

enum class WaitPolicy : uint8_t { Default, Active, Passive };

/// ICVs of the whole program, fixed at start.
struct ProgramIcvs {
  std::vector<uint32_t> nthreads_by_level; ///< OMP_NUM_THREADS list; empty = not given
  WaitPolicy wait_policy = WaitPolicy::Default;
  size_t stack_bytes = 0;    ///< OMP_STACKSIZE; 0 = the system's default
  bool cancellation = false; ///< cancel-var
  uint32_t max_task_priority = 0;
  TargetOffload target_offload = TargetOffload::Default; ///< OMP_TARGET_OFFLOAD
  /// That may be there to execute target tasks: LIBOMP_NUM_HIDDEN_HELPER_THREADS; 0: those are the team's, as always on
  /// several nodes.
  uint32_t helper_threads = 0;
  bool task_throttling =
      true; ///< KMP_ENABLE_TASK_THROTTLING: a thread with plenty of ready tasks executes further ones at once
  uint32_t thread_limit = no_thread_limit;
  int teams = 0;                     ///< OMP_NUM_TEAMS; 0 = not given
  int teams_thread_limit = 0;        ///< OMP_TEAMS_THREAD_LIMIT; 0 = not given
  int most_teams = 0;                ///< of a league: KMP_TEAMS_THREAD_LIMIT; 0 = not given
  int blocktime_ms = -1;             ///< KMP_BLOCKTIME; -1 = not given
  bool serial_library = false;       ///< KMP_LIBRARY=serial
  AllocatorSetting allocator;        ///< OMP_ALLOCATOR: def-allocator-var of the initial task
  bool warnings = true;              ///< KMP_WARNINGS
  bool duplicate_library_ok = false; ///< KMP_DUPLICATE_LIB_OK: no warning of a second runtime
  bool show_settings = false;        ///< KMP_SETTINGS
  bool show_version = false;         ///< KMP_VERSION
  enum class DisplayEnv : uint8_t { No, Yes, Verbose } display_env = DisplayEnv::No;
  TaskIcvs initial; ///< ICVs of the initial task
};

/// Reads OMP_* (and HETMP_*) variables; each malformed one is complained about in one line and replaced by its default.
/// `available_cpus` is the number of CPUs the default team may use.
ProgramIcvs read_icvs_from_environment(uint32_t available_cpus);

/// Of OMP_TARGET_OFFLOAD: a value that is none is complained about and taken for the default.
TargetOffload parse_target_offload(std::string_view text);

/// The program's ICVs; valid after the library's constructor.
ProgramIcvs& program_icvs();

} // namespace hetmp::runtime
