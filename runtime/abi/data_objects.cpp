// Data that the ABI exports. Programs take the values of the handles from omp.h; the objects exist for
// Fortran and for programs that were compiled to read them. A handle is a small number in a pointer's
// clothes.
#include "runtime/abi/entry.hpp"

#include <cstdint>

// Predefined allocators (OpenMP 5.1, table 2.10) and memory spaces (table 2.8), with the numbers of libomp's
// omp.h.
HETMP_ENTRY const uintptr_t omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
    omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc, omp_thread_mem_alloc,
    kmp_max_mem_alloc, omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space, omp_high_bw_mem_space,
    omp_low_lat_mem_space;
const uintptr_t omp_null_allocator = 0, omp_default_mem_alloc = 1, omp_large_cap_mem_alloc = 2, omp_const_mem_alloc = 3,
                omp_high_bw_mem_alloc = 4, omp_low_lat_mem_alloc = 5, omp_cgroup_mem_alloc = 6, omp_pteam_mem_alloc = 7,
                omp_thread_mem_alloc = 8, kmp_max_mem_alloc = 1024;
const uintptr_t omp_default_mem_space = 0, omp_large_cap_mem_space = 1, omp_const_mem_space = 2,
                omp_high_bw_mem_space = 3, omp_low_lat_mem_space = 4;

// libomp's internal state and debug switches. Nothing here reads them; they exist so that whatever names them
// links. They are no constants: a libomp that an offloading library has loaded beside this runtime finds these in its
// own ones' place, and writes them when it begins.
HETMP_ENTRY int __kmp_debugging, kmp_a_debug, kmp_b_debug, kmp_c_debug, kmp_d_debug, kmp_e_debug, kmp_f_debug, kmp_diag;
int __kmp_debugging, kmp_a_debug, kmp_b_debug, kmp_c_debug, kmp_d_debug, kmp_e_debug, kmp_f_debug, kmp_diag;
HETMP_ENTRY void *__kmp_thread_pool, *__kmp_omp_debug_struct_info, *kmp_mutex_impl_info;
void *__kmp_thread_pool, *__kmp_omp_debug_struct_info, *kmp_mutex_impl_info;
