// omp_alloc and its relatives. All memory spaces are the program's heap: the blocks come from `malloc` by its public name, so
// that they are shared between nodes when the DSM interposes it.
//
// A block starts with a header in front of the address handed out; omp_free finds there what to free, whatever else it gets.
#include "base/message.hpp"
#include "runtime/abi/omp_routines.hpp"
#include "runtime/core/icv.hpp"
#include "runtime/core/library.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace hetmp::runtime {
namespace {

constexpr int exit_code_no_resources = 71; // EX_OSERR of sysexits.h
constexpr uintptr_t trait_default = UINTPTR_MAX;
constexpr uintptr_t null_allocator = 0;
constexpr uintptr_t default_allocator = 1;
constexpr uintptr_t largest_predefined = 1024; // kmp_max_mem_alloc: handles above are addresses
constexpr uintptr_t largest_space = 4;         // omp_low_lat_mem_space

/// An allocator made by omp_init_allocator; its handle is its address. Lies in the program's heap like its
/// blocks, so that every node may use it.
struct Allocator {
  size_t alignment = 1;
  size_t pool_bytes = SIZE_MAX;
  uintptr_t fallback = fallback_default_memory;
  uintptr_t fallback_data = default_allocator;
  std::atomic<size_t> used_bytes{0}; // relaxed: a budget, it guards nothing

  bool reserve(size_t bytes) {
    if (pool_bytes == SIZE_MAX)
      return true;
    if (used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes <= pool_bytes)
      return true;
    release(bytes);
    return false;
  }
  void release(size_t bytes) {
    if (pool_bytes != SIZE_MAX)
      used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  }
};

struct Header {
  void* block;          ///< what malloc returned
  size_t size;          ///< what the program asked for
  Allocator* allocator; ///< whose pool it counts against; null for predefined allocators
  size_t block_bytes;   ///< what it counts there
};
static_assert(sizeof(Header) % alignof(max_align_t) == 0);

// def-allocator-var, kept for the whole program and not for each task; null until somebody asks for it.
// What OMP_ALLOCATOR makes is released by who made it and acquired by who finds it.
std::atomic<uintptr_t> current_default{null_allocator};

Allocator* user_allocator(uintptr_t handle) {
  return handle > largest_predefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

Header* header_of(void* pointer) {
  return static_cast<Header*>(pointer) - 1;
}

/// What a block takes from the heap, and so from its pool: the header and the room to align count too. 0 when
/// that is more than an address space holds.
size_t bytes_of_block(size_t alignment, size_t size) {
  const size_t overhead = sizeof(Header) + alignment;
  return size <= SIZE_MAX - overhead ? size + overhead : 0;
}

/// Null when the heap has no more. `alignment` is at least that of every type.
void* take_block(size_t alignment, size_t size, Allocator* allocator) {
  const size_t bytes = bytes_of_block(alignment, size);
  void* block = bytes != 0 ? malloc(bytes) : nullptr;
  if (!block)
    return nullptr;
  const uintptr_t first = reinterpret_cast<uintptr_t>(block) + sizeof(Header);
  void* pointer = reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
  *header_of(pointer) = {block, size, allocator, bytes};
  return pointer;
}

uintptr_t default_handle();
void* allocate(size_t alignment, size_t size, uintptr_t handle);

void* fall_back(const Allocator& allocator, size_t alignment, size_t size) {
  switch (allocator.fallback) {
  case fallback_null:
    return nullptr;
  case fallback_abort:
    die(1, "an OpenMP allocator with the fallback trait abort_fb could not provide %zu bytes", size);
  case fallback_allocator:
    return allocate(alignment, size, allocator.fallback_data);
  default:
    return take_block(alignment, size, nullptr);
  }
}

void* allocate(size_t alignment, size_t size, uintptr_t handle) {
  if (size == 0 || (alignment & (alignment - 1)) != 0)
    return nullptr;
  if (handle == null_allocator)
    handle = default_handle();
  Allocator* allocator = user_allocator(handle);
  alignment = std::max(alignment, alignof(max_align_t));
  if (!allocator)
    return take_block(alignment, size, nullptr);
  alignment = std::max(alignment, allocator->alignment);
  const size_t bytes = bytes_of_block(alignment, size);
  if (bytes != 0 && allocator->reserve(bytes)) {
    if (void* pointer = take_block(alignment, size, allocator))
      return pointer;
    allocator->release(bytes);
  }
  return fall_back(*allocator, alignment, size);
}

void* allocate_zeroed(size_t alignment, size_t count, size_t size, uintptr_t handle) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return nullptr;
  void* pointer = allocate(alignment, bytes, handle);
  if (pointer)
    memset(pointer, 0, bytes);
  return pointer;
}

void release(void* pointer) {
  if (!pointer)
    return;
  Header* header = header_of(pointer);
  if (header->allocator)
    header->allocator->release(header->block_bytes);
  free(header->block);
}

void* reallocate(void* old, size_t size, uintptr_t handle) {
  if (size == 0) {
    release(old);
    return nullptr;
  }
  if (!old)
    return allocate(1, size, handle);
  if (handle == null_allocator)
    if (Allocator* allocator = header_of(old)->allocator)
      handle = reinterpret_cast<uintptr_t>(allocator);
  void* pointer = allocate(1, size, handle);
  if (pointer) {
    memcpy(pointer, old, std::min(size, header_of(old)->size));
    release(old);
  }
  return pointer;
}

/// False for a value the trait cannot have.
bool apply_trait(Allocator& allocator, const OmpAllocatorTrait& trait) {
  if (trait.value == trait_default)
    return true;
  switch (trait.key) {
  case trait_alignment:
    allocator.alignment = trait.value;
    return trait.value != 0 && (trait.value & (trait.value - 1)) == 0;
  case trait_pool_size:
    allocator.pool_bytes = trait.value;
    return true;
  case trait_fallback:
    allocator.fallback = trait.value;
    return trait.value >= fallback_default_memory && trait.value <= fallback_allocator;
  case trait_fallback_data:
    allocator.fallback_data = trait.value;
    return true;
  default: // synchronisation, access, pinning and partition make no difference here
    return true;
  }
}

/// Null for a space or a trait that cannot be.
uintptr_t make_allocator(uintptr_t space, size_t traits_count, const OmpAllocatorTrait* traits) {
  void* memory = space <= largest_space ? malloc(sizeof(Allocator)) : nullptr;
  if (!memory)
    return null_allocator;
  auto* allocator = new (memory) Allocator;
  for (size_t i = 0; i < traits_count; ++i)
    if (!apply_trait(*allocator, traits[i])) {
      free(memory);
      return null_allocator;
    }
  return reinterpret_cast<uintptr_t>(allocator);
}

uintptr_t allocator_of_environment() {
  initialise_runtime();
  const AllocatorSetting& setting = program_icvs().allocator;
  if (setting.handle != null_allocator)
    return setting.handle;
  std::vector<OmpAllocatorTrait> traits;
  for (const AllocatorTrait& trait : setting.traits)
    traits.push_back({trait.key, trait.value});
  const uintptr_t made = make_allocator(setting.space, traits.size(), traits.data());
  return made != null_allocator ? made : default_allocator;
}

uintptr_t default_handle() {
  uintptr_t handle = current_default.load(std::memory_order_acquire); // pairs with the exchange
  if (handle != null_allocator)
    return handle;
  const uintptr_t made = allocator_of_environment();
  if (current_default.compare_exchange_strong(handle, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return made;
  free(user_allocator(made)); // another thread was first
  return handle;
}

} // namespace
} // namespace hetmp::runtime

using namespace hetmp::runtime;

uintptr_t omp_init_allocator(uintptr_t space, int traits_count, const OmpAllocatorTrait* traits) {
  return make_allocator(space, size_t(std::max(traits_count, 0)), traits);
}

void omp_destroy_allocator(uintptr_t handle) {
  free(user_allocator(handle));
}

uintptr_t omp_get_default_allocator() {
  return default_handle();
}

void omp_set_default_allocator(uintptr_t handle) {
  current_default.store(handle == null_allocator ? default_allocator : handle, std::memory_order_release);
}

HETMP_ENTRY void* omp_alloc(size_t size, uintptr_t allocator) {
  return allocate(1, size, allocator);
}
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
HETMP_ENTRY void omp_free(void* pointer, uintptr_t) {
  release(pointer);
}

// gcc, for variables of an `allocate` clause, which cannot do without.
HETMP_ENTRY void* GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator) {
  void* memory = allocate(alignment, size, allocator);
  if (!memory && size != 0)
    hetmp::die(exit_code_no_resources, "no memory for %zu bytes of variables", size);
  return memory;
}
HETMP_ENTRY void GOMP_free(void* pointer, uintptr_t) {
  release(pointer);
}

// What compilers call for the allocate directive: the thread's number first.
HETMP_ENTRY void* __kmpc_alloc(int, size_t size, uintptr_t allocator) {
  return allocate(1, size, allocator);
}
HETMP_ENTRY void* __kmpc_aligned_alloc(int, size_t alignment, size_t size, uintptr_t allocator) {
  return allocate(alignment, size, allocator);
}
HETMP_ENTRY void* __kmpc_calloc(int, size_t count, size_t size, uintptr_t allocator) {
  return allocate_zeroed(1, count, size, allocator);
}
HETMP_ENTRY void* __kmpc_realloc(int, void* pointer, size_t size, uintptr_t allocator, uintptr_t) {
  return reallocate(pointer, size, allocator);
}
HETMP_ENTRY void __kmpc_free(int, void* pointer, uintptr_t) {
  release(pointer);
}
HETMP_ENTRY uintptr_t __kmpc_init_allocator(int, uintptr_t space, int traits_count, const OmpAllocatorTrait* traits) {
  return omp_init_allocator(space, traits_count, traits);
}
HETMP_ENTRY void __kmpc_destroy_allocator(int, uintptr_t allocator) {
  omp_destroy_allocator(allocator);
}
HETMP_ENTRY uintptr_t __kmpc_get_default_allocator(int) {
  return omp_get_default_allocator();
}
HETMP_ENTRY void __kmpc_set_default_allocator(int, uintptr_t allocator) {
  omp_set_default_allocator(allocator);
}
