// The kmp_* extensions of libomp's omp.h, for their Fortran and by-value twins.
#pragma once

#include "runtime/abi/entry.hpp"

#include <cstddef>

// Settings and memory: kmp_routines.cpp
HETMP_ENTRY int kmp_get_stacksize();
HETMP_ENTRY size_t kmp_get_stacksize_s();
HETMP_ENTRY void kmp_set_stacksize(int bytes);
HETMP_ENTRY void kmp_set_stacksize_s(size_t bytes);
HETMP_ENTRY int kmp_get_blocktime();
HETMP_ENTRY void kmp_set_blocktime(int milliseconds);
HETMP_ENTRY int kmp_get_library();
HETMP_ENTRY void kmp_set_library(int kind);
HETMP_ENTRY void kmp_set_library_serial();
HETMP_ENTRY void kmp_set_library_turnaround();
HETMP_ENTRY void kmp_set_library_throughput();
HETMP_ENTRY void kmp_set_defaults(const char* settings);
HETMP_ENTRY void kmp_set_disp_num_buffers(int count);
HETMP_ENTRY void kmp_set_warnings_on();
HETMP_ENTRY void kmp_set_warnings_off();
HETMP_ENTRY int kmp_get_num_known_threads();
HETMP_ENTRY int kmp_get_cancellation_status(int construct);
HETMP_ENTRY void* kmp_malloc(size_t size);
HETMP_ENTRY void* kmp_aligned_malloc(size_t size, size_t alignment);
HETMP_ENTRY void* kmp_calloc(size_t count, size_t size);
HETMP_ENTRY void* kmp_realloc(void* pointer, size_t size);
HETMP_ENTRY void kmp_free(void* pointer);

// Affinity masks: kmp_affinity.cpp
HETMP_ENTRY int kmp_set_affinity(void** mask);
HETMP_ENTRY int kmp_get_affinity(void** mask);
HETMP_ENTRY int kmp_get_affinity_max_proc();
HETMP_ENTRY void kmp_create_affinity_mask(void** mask);
HETMP_ENTRY void kmp_destroy_affinity_mask(void** mask);
HETMP_ENTRY int kmp_set_affinity_mask_proc(int cpu, void** mask);
HETMP_ENTRY int kmp_unset_affinity_mask_proc(int cpu, void** mask);
HETMP_ENTRY int kmp_get_affinity_mask_proc(int cpu, void** mask);
