// Routines about threads, regions and the ICVs of the calling task.
#include "runtime/abi/omp/omp_routines.hpp"

#include "perf/clock.hpp"
#include "runtime/process/library.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/settings/settings.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <ctime>
#include <string>
#include <unistd.h>

using namespace hetmp::runtime;
using hetmp::schedulers::PolicyDescriptor;
using hetmp::schedulers::Schedule;
using hetmp::schedulers::ScheduleKind;

namespace {

const TaskIcvs& current_icvs() { return current_task().icvs; }
TaskIcvs& own_icvs() { return changeable_icvs(current_task()); }

using Parameter = PolicyDescriptor::Parameter;

uint32_t kind_number(const Schedule& schedule) {
  return schedule.trapezoidal ? uint32_t(omp_sched_trapezoidal)
                              : hetmp::schedulers::policy_of(schedule.kind).omp_number;
}

/// Null: an unknown number. libomp has two for schedules that have one already.
const PolicyDescriptor* find_policy_by_kind(uint32_t kind) {
  switch (kind) {
  case omp_sched_static_steal:
    return hetmp::schedulers::find_policy(ScheduleKind::Dynamic);
  case omp_sched_trapezoidal:
    return hetmp::schedulers::find_policy(ScheduleKind::Guided);
  default:
    return hetmp::schedulers::find_policy_by_number(kind);
  }
}

/// The chunk as the routines report it: static without a chunk says 0, the others at least 1, as libomp does.
int chunk_number(const Schedule& schedule) {
  if (hetmp::schedulers::policy_of(schedule.kind).parameter == Parameter::Percentage)
    return std::max(1, int(std::lround(schedule.probe_percent)));
  const uint64_t least = schedule.kind == ScheduleKind::Static ? 0 : 1;
  return int(std::clamp<uint64_t>(schedule.chunk, least, INT_MAX));
}

} // namespace

int omp_get_thread_num() { return int(current_task().number); }
int omp_get_num_threads() { return int(current_task().team_size); }

int omp_get_max_threads() {
  const TaskIcvs& icvs = current_icvs();
  return int(std::min(icvs.nthreads, icvs.thread_limit));
}

void omp_set_num_threads(int threads) {
  TaskIcvs& icvs = own_icvs();
  icvs.nthreads = uint32_t(std::max(threads, 1));
  icvs.nthreads_set_by_call = true;
}

int omp_get_num_procs() {
  initialise_runtime();
  return int(std::max(layout().distinct_cpus(), 1u));
}

int omp_in_parallel() { return current_task().active_level > 0; }
int omp_get_level() { return int(current_task().level); }
int omp_get_active_level() { return int(current_task().active_level); }

int omp_get_ancestor_thread_num(int level) {
  uint32_t number, team_size;
  return level >= 0 && find_ancestor(current_task(), uint32_t(level), number, team_size) ? int(number) : -1;
}

int omp_get_team_size(int level) {
  uint32_t number, team_size;
  return level >= 0 && find_ancestor(current_task(), uint32_t(level), number, team_size) ? int(team_size) : -1;
}

int omp_get_thread_limit() { return int(current_icvs().thread_limit); }
int omp_get_supported_active_levels() { return INT_MAX; }
int omp_get_max_active_levels() { return int(current_icvs().max_active_levels); }

void omp_set_max_active_levels(int levels) {
  if (levels >= 0)
    own_icvs().max_active_levels = uint32_t(levels);
}

int omp_get_dynamic() { return current_icvs().dynamic; }
void omp_set_dynamic(int enabled) { own_icvs().dynamic = enabled != 0; }
int omp_get_nested() { return current_icvs().max_active_levels > 1; }

void omp_set_nested(int enabled) {
  TaskIcvs& icvs = own_icvs();
  if (!enabled)
    icvs.max_active_levels = 1;
  else if (icvs.max_active_levels <= 1)
    icvs.max_active_levels = INT_MAX;
}

void omp_get_schedule(uint32_t* kind, int* chunk) {
  const Schedule& schedule = current_icvs().run_schedule;
  *kind = kind_number(schedule) | (schedule.monotonic ? uint32_t(omp_sched_monotonic) : 0);
  *chunk = chunk_number(schedule);
}

/// Unknown kinds leave the schedule as it is.
void omp_set_schedule(uint32_t kind, int chunk) {
  const uint32_t plain = kind & ~uint32_t(omp_sched_monotonic);
  const PolicyDescriptor* policy = find_policy_by_kind(plain);
  if (!policy)
    return;
  Schedule schedule;
  schedule.kind = policy->kind;
  schedule.trapezoidal = plain == omp_sched_trapezoidal;
  schedule.monotonic = (kind & omp_sched_monotonic) != 0;
  if (policy->parameter == Parameter::Chunk)
    schedule.chunk = uint64_t(std::max(chunk, 0));
  else if (policy->parameter == Parameter::Percentage && chunk >= 1 && chunk <= 100)
    schedule.probe_percent = chunk;
  own_icvs().run_schedule = schedule;
}

int omp_get_cancellation() { return program_icvs().cancellation; }
int omp_get_max_task_priority() { return int(program_icvs().max_task_priority); }

int omp_in_final() { return generating_task(current_task()).is_final; }
int omp_in_explicit_task() { return current_task().explicit_task != nullptr; }

double omp_get_wtime() { return hetmp::perf::monotonic_us() * 1e-6; }

double omp_get_wtick() {
  timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return double(tick.tv_sec) + double(tick.tv_nsec) * 1e-9;
}

void omp_display_env(int verbose) {
  initialise_runtime();
  const std::string text = environment_shown(verbose != 0);
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

HETMP_ENTRY void ompc_set_num_threads(int threads) { omp_set_num_threads(threads); }
HETMP_ENTRY void ompc_set_dynamic(int enabled) { omp_set_dynamic(enabled); }
HETMP_ENTRY void ompc_set_nested(int enabled) { omp_set_nested(enabled); }
HETMP_ENTRY void ompc_set_max_active_levels(int levels) { omp_set_max_active_levels(levels); }
HETMP_ENTRY void ompc_set_schedule(uint32_t kind, int chunk) { omp_set_schedule(kind, chunk); }
HETMP_ENTRY int ompc_get_ancestor_thread_num(int level) { return omp_get_ancestor_thread_num(level); }
HETMP_ENTRY int ompc_get_team_size(int level) { return omp_get_team_size(level); }
