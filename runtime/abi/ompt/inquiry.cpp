// What a tool asks (OMPT 5.2, section 19.6): its callbacks, and what threads, tasks and the machine are. Functions that
// are about the calling thread answer nothing where the runtime does not know it, as on a thread of the tool's own.
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/ompt/records.hpp"
#include "runtime/ompt/tool.hpp"
#include "runtime/team/worker_pool.hpp"

#include <cstring>
#include <sched.h>

namespace hetmp::runtime::ompt {
namespace {

/// The task of the calling thread, or the one that this interrupts or was met by, and so on.
TaskRecord* task_at(int level) {
  TaskRecord* task = observed() ? observed()->task : nullptr;
  for (; task && level > 0; --level)
    task = task->below;
  return level == 0 ? task : nullptr;
}

template <class Value> void answer(Value* to, Value value) {
  if (to)
    *to = value;
}

// ---- callbacks

int set_callback(int event, InterfaceFunction callback) { return int(the_tool().set_callback(event, callback)); }

int get_callback(int event, InterfaceFunction* callback) { return the_tool().get_callback(event, *callback); }

// ---- threads, regions, tasks

Data* get_thread_data() { return observed() ? &observed()->data : nullptr; }

int get_state(uint64_t* wait_id) {
  const ThreadRecord* const self = observed();
  answer(wait_id, self ? self->wait_id : 0);
  return int(self ? self->state : State::WorkSerial); // as libomp says of threads that it does not know
}

int get_parallel_info(int level, Data** parallel, int* team_size) {
  const TaskRecord* task = task_at(0);
  // Regions, from the innermost one: explicit tasks are in that of the task that they interrupt.
  for (; task && level > 0; --level) {
    const RegionRecord* const region = task->region;
    while (task && task->region == region)
      task = task->below;
  }
  if (!task || level != 0 || !task->region)
    return 0;
  answer(parallel, &task->region->data);
  answer(team_size, int(task->team_size));
  return 2;
}

int get_task_info(int level, int* flags, Data** data, Frame** frame, Data** parallel, int* number) {
  TaskRecord* const task = task_at(level);
  if (!task)
    return 0;
  answer(flags, task->flags);
  answer(data, &task->data);
  answer(frame, &task->frame);
  answer(parallel, task->region ? &task->region->data : static_cast<Data*>(nullptr));
  answer(number, int(task->number));
  return 2;
}

/// Of an explicit task: what it has of the program's variables, in one block.
int get_task_memory(void** address, size_t* size, int block) {
  const TaskRecord* const task = task_at(0);
  const bool is_there = task && task->body && block == 0;
  answer(address, is_there ? const_cast<void*>(task->body) : nullptr);
  answer(size, is_there ? size_t(task->body_bytes) : size_t(0));
  return 0; // there is no further block
}

uint64_t get_unique_id() { return the_tool().unique_id(); }

// ---- the machine

int get_num_procs() { return omp_get_num_procs(); }
int get_num_places() { return omp_get_num_places(); }

int get_place_proc_ids(int place, int room, int* ids) {
  const int count = omp_get_place_num_procs(place);
  if (ids && count <= room)
    omp_get_place_proc_ids(place, ids);
  return count;
}

int get_place_num() { return observed() ? omp_get_place_num() : -1; }

int get_partition_place_nums(int room, int* places) {
  if (!observed())
    return 0;
  const int count = omp_get_partition_num_places();
  if (places && count <= room)
    omp_get_partition_place_nums(places);
  return count;
}

int get_proc_id() { return observed() ? sched_getcpu() : -1; }

/// What target regions run on no tool is told.
int get_target_info(uint64_t*, uint64_t*, uint64_t*) { return 0; }
int get_num_devices() { return 1; } // the host

// ---- what numbers mean

struct Name {
  int number;
  const char* name;
};

template <size_t count> int enumerate(const Name (&all)[count], int current, int* next, const char** name) {
  for (size_t i = 0; i + 1 < count; ++i)
    if (all[i].number == current) {
      *next = all[i + 1].number;
      *name = all[i + 1].name;
      return 1;
    }
  return 0;
}

constexpr Name states[] = {
    {int(State::Undefined), "ompt_state_undefined"},
    {int(State::WorkSerial), "ompt_state_work_serial"},
    {int(State::WorkParallel), "ompt_state_work_parallel"},
    {int(State::WorkReduction), "ompt_state_work_reduction"},
    {int(State::WaitBarrier), "ompt_state_wait_barrier"},
    {int(State::WaitBarrierImplicitParallel), "ompt_state_wait_barrier_implicit_parallel"},
    {int(State::WaitBarrierImplicitWorkshare), "ompt_state_wait_barrier_implicit_workshare"},
    {int(State::WaitBarrierImplicit), "ompt_state_wait_barrier_implicit"},
    {int(State::WaitBarrierExplicit), "ompt_state_wait_barrier_explicit"},
    {int(State::WaitBarrierImplementation), "ompt_state_wait_barrier_implementation"},
    {int(State::WaitBarrierTeams), "ompt_state_wait_barrier_teams"},
    {int(State::WaitTaskwait), "ompt_state_wait_taskwait"},
    {int(State::WaitTaskgroup), "ompt_state_wait_taskgroup"},
    {int(State::WaitMutex), "ompt_state_wait_mutex"},
    {int(State::WaitLock), "ompt_state_wait_lock"},
    {int(State::WaitCritical), "ompt_state_wait_critical"},
    {int(State::WaitAtomic), "ompt_state_wait_atomic"},
    {int(State::WaitOrdered), "ompt_state_wait_ordered"},
    {int(State::Idle), "ompt_state_idle"},
    {int(State::Overhead), "ompt_state_overhead"},
};

constexpr Name mutexes[] = {
    {int(mutex_is_none), "kmp_mutex_impl_none"},
    {int(mutex_spins), "kmp_mutex_impl_spin"},
    {int(mutex_queues), "kmp_mutex_impl_queuing"},
    {int(mutex_speculates), "kmp_mutex_impl_speculative"},
};

int enumerate_states(int current, int* next, const char** name) { return enumerate(states, current, next, name); }
int enumerate_mutex_impls(int current, int* next, const char** name) { return enumerate(mutexes, current, next, name); }

struct Entry {
  const char* name;
  InterfaceFunction function;
};

template <class Function> InterfaceFunction as_entry(Function* function) {
  return reinterpret_cast<InterfaceFunction>(function);
}

} // namespace

InterfaceFunction answer_for(const char* name) {
  const Entry entries[] = {
      {"ompt_set_callback", as_entry(set_callback)},
      {"ompt_get_callback", as_entry(get_callback)},
      {"ompt_get_state", as_entry(get_state)},
      {"ompt_get_parallel_info", as_entry(get_parallel_info)},
      {"ompt_get_task_info", as_entry(get_task_info)},
      {"ompt_get_task_memory", as_entry(get_task_memory)},
      {"ompt_get_thread_data", as_entry(get_thread_data)},
      {"ompt_get_unique_id", as_entry(get_unique_id)},
      {"ompt_finalize_tool", as_entry(end_tool)},
      {"ompt_get_num_procs", as_entry(get_num_procs)},
      {"ompt_get_num_places", as_entry(get_num_places)},
      {"ompt_get_place_proc_ids", as_entry(get_place_proc_ids)},
      {"ompt_get_place_num", as_entry(get_place_num)},
      {"ompt_get_partition_place_nums", as_entry(get_partition_place_nums)},
      {"ompt_get_proc_id", as_entry(get_proc_id)},
      {"ompt_get_target_info", as_entry(get_target_info)},
      {"ompt_get_num_devices", as_entry(get_num_devices)},
      {"ompt_enumerate_states", as_entry(enumerate_states)},
      {"ompt_enumerate_mutex_impls", as_entry(enumerate_mutex_impls)},
  };
  for (const Entry& entry : entries)
    if (strcmp(entry.name, name) == 0)
      return entry.function;
  return nullptr;
}

} // namespace hetmp::runtime::ompt
