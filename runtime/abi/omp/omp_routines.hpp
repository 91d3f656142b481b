// The OpenMP routines as C declares them (OpenMP 5.1, chapter 3), for the Fortran twins and the by-value
// twins that call them. omp.h itself differs between compilers (LLVM's renames some routines), so the library
// does not include one.
#pragma once

#include "runtime/abi/entry.hpp"
#include "runtime/settings/allocator_setting.hpp"

#include <cstddef>
#include <cstdint>

/// Schedule kinds of omp_set_schedule and omp_get_schedule. The HetProbe ones are this project's
/// additions, far from any number of libomp's or libgomp's; their "chunk" is the percentage of the iterations
/// spent probing (below 1 or above 100: the default of 10).
enum OmpSchedule : uint32_t {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4,
  omp_sched_trapezoidal = 101,  ///< libomp's
  omp_sched_static_steal = 102, ///< libomp's
  omp_sched_hetprobe = 0x48500001,
  omp_sched_hetprobe_i = 0x48500002,
  omp_sched_monotonic = 0x80000000,
};

using OmpAllocatorTrait = hetmp::runtime::AllocatorTrait;

// Threads and regions: omp_routines.cpp
HETMP_ENTRY int omp_get_thread_num();
HETMP_ENTRY int omp_get_num_threads();
HETMP_ENTRY int omp_get_max_threads();
HETMP_ENTRY void omp_set_num_threads(int threads);
HETMP_ENTRY int omp_get_num_procs();
HETMP_ENTRY int omp_in_parallel();
HETMP_ENTRY int omp_get_level();
HETMP_ENTRY int omp_get_active_level();
HETMP_ENTRY int omp_get_ancestor_thread_num(int level);
HETMP_ENTRY int omp_get_team_size(int level);
HETMP_ENTRY int omp_get_thread_limit();
HETMP_ENTRY int omp_get_supported_active_levels();
HETMP_ENTRY int omp_get_max_active_levels();
HETMP_ENTRY void omp_set_max_active_levels(int levels);
HETMP_ENTRY int omp_get_dynamic();
HETMP_ENTRY void omp_set_dynamic(int enabled);
HETMP_ENTRY int omp_get_nested();
HETMP_ENTRY void omp_set_nested(int enabled);
HETMP_ENTRY void omp_get_schedule(uint32_t* kind, int* chunk);
HETMP_ENTRY void omp_set_schedule(uint32_t kind, int chunk);
HETMP_ENTRY int omp_get_cancellation();
HETMP_ENTRY int omp_get_max_task_priority();
HETMP_ENTRY int omp_in_final();
HETMP_ENTRY int omp_in_explicit_task();
HETMP_ENTRY void omp_fulfill_event(void* event);
HETMP_ENTRY double omp_get_wtime();
HETMP_ENTRY double omp_get_wtick();
HETMP_ENTRY void omp_display_env(int verbose);

// Devices, teams, resources, tools, interoperability: omp_devices.cpp
HETMP_ENTRY int omp_get_num_devices();
HETMP_ENTRY int omp_get_device_num();
HETMP_ENTRY int omp_get_initial_device();
HETMP_ENTRY int omp_is_initial_device();
HETMP_ENTRY int omp_get_default_device();
HETMP_ENTRY void omp_set_default_device(int device);
HETMP_ENTRY int omp_get_num_teams();
HETMP_ENTRY int omp_get_team_num();
HETMP_ENTRY int omp_get_max_teams();
HETMP_ENTRY void omp_set_num_teams(int teams);
HETMP_ENTRY int omp_get_teams_thread_limit();
HETMP_ENTRY void omp_set_teams_thread_limit(int limit);
HETMP_ENTRY int omp_pause_resource(int kind, int device);
HETMP_ENTRY int omp_pause_resource_all(int kind);
HETMP_ENTRY int omp_control_tool(int command, int modifier, void* argument);
HETMP_ENTRY int omp_get_num_interop_properties(const void* interop);
HETMP_ENTRY intptr_t omp_get_interop_int(const void* interop, int property, int* error);
HETMP_ENTRY void* omp_get_interop_ptr(const void* interop, int property, int* error);
HETMP_ENTRY const char* omp_get_interop_str(const void* interop, int property, int* error);
HETMP_ENTRY const char* omp_get_interop_name(const void* interop, int property);
HETMP_ENTRY const char* omp_get_interop_type_desc(const void* interop, int property);
HETMP_ENTRY const char* omp_get_interop_rc_desc(const void* interop, int code);

// Places and the affinity format: omp_affinity.cpp
HETMP_ENTRY int omp_get_proc_bind();
HETMP_ENTRY int omp_get_num_places();
HETMP_ENTRY int omp_get_place_num_procs(int place);
HETMP_ENTRY void omp_get_place_proc_ids(int place, int* ids);
HETMP_ENTRY int omp_get_place_num();
HETMP_ENTRY int omp_get_partition_num_places();
HETMP_ENTRY void omp_get_partition_place_nums(int* places);
HETMP_ENTRY void omp_set_affinity_format(const char* format);
HETMP_ENTRY size_t omp_get_affinity_format(char* buffer, size_t size);
HETMP_ENTRY void omp_display_affinity(const char* format);
HETMP_ENTRY size_t omp_capture_affinity(char* buffer, size_t size, const char* format);

// Memory: omp_allocators.cpp
HETMP_ENTRY uintptr_t omp_init_allocator(uintptr_t space, int traits_count, const OmpAllocatorTrait* traits);
HETMP_ENTRY void omp_destroy_allocator(uintptr_t allocator);
HETMP_ENTRY uintptr_t omp_get_default_allocator();
HETMP_ENTRY void omp_set_default_allocator(uintptr_t allocator);

// Locks: omp_locks.cpp. A lock variable has 4 bytes in gcc's omp.h and 8 in LLVM's, a nestable one at
// least 8.
HETMP_ENTRY void omp_init_lock(void* lock);
HETMP_ENTRY void omp_init_lock_with_hint(void* lock, int hint);
HETMP_ENTRY void omp_destroy_lock(void* lock);
HETMP_ENTRY void omp_set_lock(void* lock);
HETMP_ENTRY void omp_unset_lock(void* lock);
HETMP_ENTRY int omp_test_lock(void* lock);
HETMP_ENTRY void omp_init_nest_lock(void* lock);
HETMP_ENTRY void omp_init_nest_lock_with_hint(void* lock, int hint);
HETMP_ENTRY void omp_destroy_nest_lock(void* lock);
HETMP_ENTRY void omp_set_nest_lock(void* lock);
HETMP_ENTRY void omp_unset_nest_lock(void* lock);
HETMP_ENTRY int omp_test_nest_lock(void* lock);
