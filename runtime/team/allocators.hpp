// Allocators and what they give. All memory spaces are the program's heap: blocks and allocators come from `malloc` by
// its public name, so that nodes share them when the DSM interposes it.
#pragma once

#include "runtime/settings/icv.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

inline constexpr uintptr_t null_allocator = 0;

/// An allocator's handle; null for a space or a trait that cannot be.
uintptr_t make_allocator(uintptr_t space, size_t traits_count, const AllocatorTrait* traits);
void destroy_allocator(uintptr_t handle);

/// def-allocator-var of the calling thread's task; never null.
uintptr_t default_allocator();
/// Of these; what OMP_ALLOCATOR asks for is made when somebody needs it first.
uintptr_t default_allocator_of(TaskIcvs& icvs);
/// Null: omp_default_mem_alloc.
void set_default_allocator(uintptr_t handle);

/// `alignment`: at least that, in bytes. A null handle: the default allocator. Null when there is no memory, or the
/// size is 0.
void* allocate(size_t alignment, size_t size, uintptr_t handle);
void* allocate_zeroed(size_t alignment, size_t count, size_t size, uintptr_t handle);
/// A null handle: the block's own allocator. On failure `old` stays.
void* reallocate(void* old, size_t size, uintptr_t handle);
void release(void* pointer);

} // namespace hetmp::runtime
