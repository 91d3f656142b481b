// Fortran's twins of the routines: the name with an underscore behind it, arguments by reference. A logical
// result is an int that is 0 or 1. (Twins with character arguments are in omp_affinity.cpp.)
#include "runtime/abi/omp/kmp_routines.hpp"
#include "runtime/abi/omp/omp_routines.hpp"

// No arguments.
#define TWIN_0(result, name)                                                                                           \
  HETMP_ENTRY result name##_() { return name(); }
// One, two or three arguments; the types are those of the C routine's parameters.
#define TWIN_1(result, name, A)                                                                                        \
  HETMP_ENTRY result name##_(const A* a) { return name(*a); }
#define TWIN_2(result, name, A, B)                                                                                     \
  HETMP_ENTRY result name##_(const A* a, const B* b) { return name(*a, *b); }
// The lock variable is the argument either way.
#define TWIN_LOCK(result, name)                                                                                        \
  HETMP_ENTRY result name##_(void* lock) { return name(lock); }

using Handle = void*;

TWIN_0(int, omp_get_thread_num)
TWIN_0(int, omp_get_num_threads)
TWIN_0(int, omp_get_max_threads)
TWIN_1(void, omp_set_num_threads, int)
TWIN_0(int, omp_get_num_procs)
TWIN_0(int, omp_in_parallel)
TWIN_0(int, omp_get_level)
TWIN_0(int, omp_get_active_level)
TWIN_1(int, omp_get_ancestor_thread_num, int)
TWIN_1(int, omp_get_team_size, int)
TWIN_0(int, omp_get_thread_limit)
TWIN_0(int, omp_get_supported_active_levels)
TWIN_0(int, omp_get_max_active_levels)
TWIN_1(void, omp_set_max_active_levels, int)
TWIN_0(int, omp_get_dynamic)
TWIN_1(void, omp_set_dynamic, int)
TWIN_0(int, omp_get_nested)
TWIN_1(void, omp_set_nested, int)
HETMP_ENTRY void omp_get_schedule_(uint32_t* kind, int* chunk) { omp_get_schedule(kind, chunk); }
TWIN_2(void, omp_set_schedule, uint32_t, int)
TWIN_0(int, omp_get_cancellation)
TWIN_0(int, omp_get_max_task_priority)
TWIN_0(int, omp_in_final)
TWIN_0(int, omp_in_explicit_task)
TWIN_0(double, omp_get_wtime)
TWIN_0(double, omp_get_wtick)
TWIN_1(void, omp_display_env, int)

TWIN_0(int, omp_get_num_devices)
TWIN_0(int, omp_get_device_num)
TWIN_0(int, omp_get_initial_device)
TWIN_0(int, omp_is_initial_device)
TWIN_0(int, omp_get_default_device)
TWIN_1(void, omp_set_default_device, int)
TWIN_0(int, omp_get_num_teams)
TWIN_0(int, omp_get_team_num)
TWIN_0(int, omp_get_max_teams)
TWIN_1(void, omp_set_num_teams, int)
TWIN_0(int, omp_get_teams_thread_limit)
TWIN_1(void, omp_set_teams_thread_limit, int)
TWIN_2(int, omp_pause_resource, int, int)
TWIN_1(int, omp_pause_resource_all, int)
HETMP_ENTRY int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return omp_control_tool(*command, *modifier, argument);
}
TWIN_1(int, omp_get_num_interop_properties, Handle)
HETMP_ENTRY intptr_t omp_get_interop_int_(const Handle* interop, const int* property, int* error) {
  return omp_get_interop_int(*interop, *property, error);
}
HETMP_ENTRY void* omp_get_interop_ptr_(const Handle* interop, const int* property, int* error) {
  return omp_get_interop_ptr(*interop, *property, error);
}
HETMP_ENTRY const char* omp_get_interop_str_(const Handle* interop, const int* property, int* error) {
  return omp_get_interop_str(*interop, *property, error);
}
TWIN_2(const char*, omp_get_interop_name, Handle, int)
TWIN_2(const char*, omp_get_interop_type_desc, Handle, int)
TWIN_2(const char*, omp_get_interop_rc_desc, Handle, int)

TWIN_0(int, omp_get_proc_bind)
TWIN_0(int, omp_get_num_places)
TWIN_1(int, omp_get_place_num_procs, int)
HETMP_ENTRY void omp_get_place_proc_ids_(const int* place, int* ids) { omp_get_place_proc_ids(*place, ids); }
TWIN_0(int, omp_get_place_num)
TWIN_0(int, omp_get_partition_num_places)
HETMP_ENTRY void omp_get_partition_place_nums_(int* places) { omp_get_partition_place_nums(places); }

HETMP_ENTRY uintptr_t omp_init_allocator_(const uintptr_t* space, const int* traits_count,
                                          const OmpAllocatorTrait* traits) {
  return omp_init_allocator(*space, *traits_count, traits);
}
TWIN_1(void, omp_destroy_allocator, uintptr_t)
TWIN_0(uintptr_t, omp_get_default_allocator)
TWIN_1(void, omp_set_default_allocator, uintptr_t)

TWIN_LOCK(void, omp_init_lock)
TWIN_LOCK(void, omp_destroy_lock)
TWIN_LOCK(void, omp_set_lock)
TWIN_LOCK(void, omp_unset_lock)
TWIN_LOCK(int, omp_test_lock)
TWIN_LOCK(void, omp_init_nest_lock)
TWIN_LOCK(void, omp_destroy_nest_lock)
TWIN_LOCK(void, omp_set_nest_lock)
TWIN_LOCK(void, omp_unset_nest_lock)
TWIN_LOCK(int, omp_test_nest_lock)
HETMP_ENTRY void omp_init_lock_with_hint_(void* lock, const int* hint) { omp_init_lock_with_hint(lock, *hint); }
HETMP_ENTRY void omp_init_nest_lock_with_hint_(void* lock, const int* hint) {
  omp_init_nest_lock_with_hint(lock, *hint);
}

TWIN_0(int, kmp_get_stacksize)
TWIN_0(size_t, kmp_get_stacksize_s)
TWIN_1(void, kmp_set_stacksize, int)
TWIN_1(void, kmp_set_stacksize_s, size_t)
TWIN_0(int, kmp_get_blocktime)
TWIN_1(void, kmp_set_blocktime, int)
TWIN_0(int, kmp_get_library)
TWIN_1(void, kmp_set_library, int)
TWIN_0(void, kmp_set_library_serial)
TWIN_0(void, kmp_set_library_turnaround)
TWIN_0(void, kmp_set_library_throughput)
HETMP_ENTRY void kmp_set_defaults_(const char* settings, size_t) { kmp_set_defaults(settings); }
TWIN_1(void, kmp_set_disp_num_buffers, int)
TWIN_0(void, kmp_set_warnings_on)
TWIN_0(void, kmp_set_warnings_off)
TWIN_0(int, kmp_get_num_known_threads)
TWIN_1(int, kmp_get_cancellation_status, int)
TWIN_1(void*, kmp_malloc, size_t)
TWIN_2(void*, kmp_aligned_malloc, size_t, size_t)
TWIN_2(void*, kmp_calloc, size_t, size_t)
TWIN_2(void*, kmp_realloc, Handle, size_t)
TWIN_1(void, kmp_free, Handle)

HETMP_ENTRY int kmp_set_affinity_(void** mask) { return kmp_set_affinity(mask); }
HETMP_ENTRY int kmp_get_affinity_(void** mask) { return kmp_get_affinity(mask); }
TWIN_0(int, kmp_get_affinity_max_proc)
HETMP_ENTRY void kmp_create_affinity_mask_(void** mask) { kmp_create_affinity_mask(mask); }
HETMP_ENTRY void kmp_destroy_affinity_mask_(void** mask) { kmp_destroy_affinity_mask(mask); }
HETMP_ENTRY int kmp_set_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_set_affinity_mask_proc(*cpu, mask);
}
HETMP_ENTRY int kmp_unset_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_unset_affinity_mask_proc(*cpu, mask);
}
HETMP_ENTRY int kmp_get_affinity_mask_proc_(const int* cpu, void** mask) {
  return kmp_get_affinity_mask_proc(*cpu, mask);
}
