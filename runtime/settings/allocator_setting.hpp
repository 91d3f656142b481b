// def-allocator-var as OMP_ALLOCATOR names it (OpenMP 5.1, section 6.22): an allocator, a memory space, or a space with
// traits. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::runtime {

// Numbers of omp.h.
enum TraitKey : int {
  trait_sync_hint = 1,
  trait_alignment,
  trait_access,
  trait_pool_size,
  trait_fallback,
  trait_fallback_data,
  trait_pinned,
  trait_partition
};
enum TraitValue : uintptr_t {
  fallback_default_memory = 11,
  fallback_null = 12,
  fallback_abort = 13,
  fallback_allocator = 14,
};

/// omp_alloctrait_t of omp.h.
struct AllocatorTrait {
  int key; ///< a TraitKey, or one that is not known here
  uintptr_t value;
  bool operator==(const AllocatorTrait&) const = default;
};

struct AllocatorSetting {
  uintptr_t handle = 1; ///< of a predefined allocator; 0: one is to be made, in `space` and with `traits`
  uintptr_t space = 0;
  std::vector<AllocatorTrait> traits; ///< in the user's order
  std::string text = "omp_default_mem_alloc";
  bool operator==(const AllocatorSetting&) const = default;
};

struct ParsedAllocator {
  AllocatorSetting setting; ///< the default if the text is malformed
  std::string error;        ///< then: what is wrong, a short phrase
};

ParsedAllocator parse_allocator(std::string_view text);

} // namespace hetmp::runtime
