// omp_alloc and its relatives, and what compilers call for them.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/team/allocators.hpp"

#include <algorithm>

using namespace hetmp::runtime;

uintptr_t omp_init_allocator(uintptr_t space, int traits_count, const OmpAllocatorTrait* traits) {
  return make_allocator(space, size_t(std::max(traits_count, 0)), traits);
}

void omp_destroy_allocator(uintptr_t handle) { destroy_allocator(handle); }

uintptr_t omp_get_default_allocator() { return default_allocator(); }

void omp_set_default_allocator(uintptr_t handle) { set_default_allocator(handle); }

HETMP_ENTRY void* omp_alloc(size_t size, uintptr_t allocator) { return allocate(1, size, allocator); }
HETMP_ENTRY void* omp_aligned_alloc(size_t alignment, size_t size, uintptr_t allocator) {
  return allocate(alignment, size, allocator);
}
HETMP_ENTRY void* omp_calloc(size_t count, size_t size, uintptr_t allocator) {
  return allocate_zeroed(1, count, size, allocator);
}
HETMP_ENTRY void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, uintptr_t allocator) {
  return allocate_zeroed(alignment, count, size, allocator);
}
HETMP_ENTRY void* omp_realloc(void* pointer, size_t size, uintptr_t allocator, uintptr_t) {
  return reallocate(pointer, size, allocator);
}
HETMP_ENTRY void omp_free(void* pointer, uintptr_t) { release(pointer); }

// gcc, for variables of an `allocate` clause, which cannot do without.
HETMP_ENTRY void* GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator) {
  void* memory = allocate(alignment, size, allocator);
  if (!memory && size != 0)
    hetmp::die(hetmp::exit_code::no_resources, "no memory for %zu bytes of variables", size);
  return memory;
}
HETMP_ENTRY void GOMP_free(void* pointer, uintptr_t) { release(pointer); }

// What compilers call for the allocate directive: the thread's number first.
HETMP_ENTRY void* __kmpc_alloc(int, size_t size, uintptr_t allocator) { return allocate(1, size, allocator); }
HETMP_ENTRY void* __kmpc_aligned_alloc(int, size_t alignment, size_t size, uintptr_t allocator) {
  return allocate(alignment, size, allocator);
}
HETMP_ENTRY void* __kmpc_calloc(int, size_t count, size_t size, uintptr_t allocator) {
  return allocate_zeroed(1, count, size, allocator);
}
HETMP_ENTRY void* __kmpc_realloc(int, void* pointer, size_t size, uintptr_t allocator, uintptr_t) {
  return reallocate(pointer, size, allocator);
}
HETMP_ENTRY void __kmpc_free(int, void* pointer, uintptr_t) { release(pointer); }
HETMP_ENTRY uintptr_t __kmpc_init_allocator(int, uintptr_t space, int traits_count, const OmpAllocatorTrait* traits) {
  return omp_init_allocator(space, traits_count, traits);
}
HETMP_ENTRY void __kmpc_destroy_allocator(int, uintptr_t allocator) { omp_destroy_allocator(allocator); }
HETMP_ENTRY uintptr_t __kmpc_get_default_allocator(int) { return omp_get_default_allocator(); }
HETMP_ENTRY void __kmpc_set_default_allocator(int, uintptr_t allocator) { omp_set_default_allocator(allocator); }
