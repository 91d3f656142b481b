// A block starts with a header in front of the address handed out; release() finds there what to free.
#include "runtime/team/allocators.hpp"

#include "base/message.hpp"
#include "runtime/process/library.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace hetmp::runtime {
namespace {

constexpr uintptr_t trait_default = UINTPTR_MAX;
constexpr uintptr_t default_memory = 1;        // omp_default_mem_alloc
constexpr uintptr_t largest_predefined = 1024; // kmp_max_mem_alloc: handles above are addresses
constexpr uintptr_t largest_space = 4;         // omp_low_lat_mem_space

/// An allocator made by omp_init_allocator; its handle is its address. Lies in the program's heap like its
/// blocks, so that every node may use it.
struct Allocator {
  size_t alignment = 1;
  size_t pool_bytes = SIZE_MAX;
  uintptr_t fallback = fallback_default_memory;
  uintptr_t fallback_data = default_memory;
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

// What OMP_ALLOCATOR comes to; null until somebody asks for it. Released by who made it and acquired by who finds it.
std::atomic<uintptr_t> of_environment{null_allocator};

Allocator* user_allocator(uintptr_t handle) {
  return handle > largest_predefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

Header* header_of(void* pointer) { return static_cast<Header*>(pointer) - 1; }

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

/// A block of the same allocator that will replace `old`, which is still to be copied and released. In its pool the two
/// count as much as the larger of them: there is room for a block that grows wherever it alone has room. Null without
/// that.
void* take_in_its_place(void* old, size_t size) {
  Header& header = *header_of(old);
  const size_t alignment = std::max(alignof(max_align_t), header.allocator->alignment);
  const size_t bytes = bytes_of_block(alignment, size);
  if (bytes == 0)
    return nullptr;
  const size_t more = bytes - std::min(bytes, header.block_bytes);
  if (!header.allocator->reserve(more))
    return nullptr;
  void* pointer = take_block(alignment, size, header.allocator);
  if (!pointer) {
    header.allocator->release(more);
    return nullptr;
  }
  header.block_bytes -= bytes - more; // the rest of what the new block counts
  return pointer;
}

/// False for a value the trait cannot have.
bool apply_trait(Allocator& allocator, const AllocatorTrait& trait) {
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

uintptr_t make_allocator_of_environment() {
  initialise_runtime();
  const AllocatorSetting& setting = program_icvs().allocator;
  if (setting.handle != null_allocator)
    return setting.handle;
  const uintptr_t made = make_allocator(setting.space, setting.traits.size(), setting.traits.data());
  return made != null_allocator ? made : default_memory;
}

uintptr_t allocator_of_environment() {
  uintptr_t handle = of_environment.load(std::memory_order_acquire); // pairs with the exchange
  if (handle != null_allocator)
    return handle;
  const uintptr_t made = make_allocator_of_environment();
  if (of_environment.compare_exchange_strong(handle, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return made;
  free(user_allocator(made)); // another thread was first
  return handle;
}

} // namespace

uintptr_t make_allocator(uintptr_t space, size_t traits_count, const AllocatorTrait* traits) {
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

void destroy_allocator(uintptr_t handle) { free(user_allocator(handle)); }

uintptr_t default_allocator() { return default_allocator_of(current_task().icvs); }

uintptr_t default_allocator_of(TaskIcvs& icvs) {
  if (icvs.default_allocator == null_allocator)
    icvs.default_allocator = allocator_of_environment();
  return icvs.default_allocator;
}

void set_default_allocator(uintptr_t handle) {
  changeable_icvs(current_task()).default_allocator = handle == null_allocator ? default_memory : handle;
}

void* allocate(size_t alignment, size_t size, uintptr_t handle) {
  if (size == 0 || (alignment & (alignment - 1)) != 0)
    return nullptr;
  if (handle == null_allocator)
    handle = default_allocator();
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
  Allocator* const of_old = header_of(old)->allocator;
  if (handle == null_allocator && of_old)
    handle = reinterpret_cast<uintptr_t>(of_old);
  void* pointer = of_old && user_allocator(handle) == of_old ? take_in_its_place(old, size) : nullptr;
  if (!pointer)
    pointer = allocate(1, size, handle);
  if (pointer) {
    memcpy(pointer, old, std::min(size, header_of(old)->size));
    release(old);
  }
  return pointer;
}

} // namespace hetmp::runtime
