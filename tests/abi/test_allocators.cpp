// omp_alloc and its relatives.
#include "runtime/abi/omp/kmp_routines.hpp"
#include "runtime/abi/omp/omp_routines.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

extern "C" {
void* omp_alloc(size_t, uintptr_t);
void* omp_aligned_alloc(size_t, size_t, uintptr_t);
void* omp_calloc(size_t, size_t, uintptr_t);
void* omp_aligned_calloc(size_t, size_t, size_t, uintptr_t);
void* omp_realloc(void*, size_t, uintptr_t, uintptr_t);
void omp_free(void*, uintptr_t);
void* __kmpc_alloc(int, size_t, uintptr_t);
void __kmpc_free(int, void*, uintptr_t);
extern const uintptr_t omp_default_mem_alloc, omp_thread_mem_alloc, omp_null_allocator, omp_low_lat_mem_space;
}

namespace {

enum { trait_alignment = 2, trait_pool_size = 4, trait_fallback = 5, trait_fallback_data = 6 };
enum { null_fallback = 12, abort_fallback = 13, allocator_fallback = 14 };

bool aligned(const void* pointer, size_t alignment) { return reinterpret_cast<uintptr_t>(pointer) % alignment == 0; }

TEST(Handles, HaveTheNumbersOfOmpH) {
  EXPECT_EQ(omp_null_allocator, 0u);
  EXPECT_EQ(omp_default_mem_alloc, 1u);
  EXPECT_EQ(omp_thread_mem_alloc, 8u);
  EXPECT_EQ(omp_low_lat_mem_space, 4u);
}

TEST(Allocators, PredefinedOnesGiveMemory) {
  for (uintptr_t handle = omp_null_allocator; handle <= omp_thread_mem_alloc; ++handle) {
    void* block = omp_alloc(1000, handle);
    ASSERT_NE(block, nullptr) << handle;
    EXPECT_TRUE(aligned(block, alignof(max_align_t)));
    memset(block, 1, 1000);
    omp_free(block, handle);
  }
  EXPECT_EQ(omp_alloc(0, 1), nullptr);
  omp_free(nullptr, 1);
}

TEST(Allocators, Alignment) {
  for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
    void* block = omp_aligned_alloc(alignment, 3 * alignment, omp_default_mem_alloc);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(aligned(block, alignment));
    memset(block, 2, 3 * alignment);
    omp_free(block, 0);
  }
  EXPECT_EQ(omp_aligned_alloc(24, 100, 1), nullptr) << "not a power of two";
  const OmpAllocatorTrait traits[] = {{trait_alignment, 256}};
  const uintptr_t allocator = omp_init_allocator(0, 1, traits);
  ASSERT_NE(allocator, omp_null_allocator);
  void* block = omp_alloc(10, allocator);
  EXPECT_TRUE(aligned(block, 256));
  omp_free(block, allocator);
  omp_destroy_allocator(allocator);
}

TEST(Allocators, ZeroedAndResized) {
  auto* bytes = static_cast<unsigned char*>(omp_aligned_calloc(64, 10, 100, 1));
  ASSERT_NE(bytes, nullptr);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(bytes[i], 0);
  memset(bytes, 7, 1000);
  bytes = static_cast<unsigned char*>(omp_realloc(bytes, 5000, 0, 0));
  ASSERT_NE(bytes, nullptr);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(bytes[i], 7);
  EXPECT_EQ(omp_realloc(bytes, 0, 0, 0), nullptr) << "size 0 frees";
  EXPECT_EQ(omp_calloc(SIZE_MAX / 2, 4, 1), nullptr) << "the product overflows";
}

TEST(Allocators, PoolIsALimitAndIsGivenBack) {
  const OmpAllocatorTrait traits[] = {{trait_pool_size, 1000}, {trait_fallback, null_fallback}};
  const uintptr_t allocator = omp_init_allocator(0, 2, traits);
  void* first = omp_alloc(600, allocator);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(omp_alloc(600, allocator), nullptr);
  omp_free(first, allocator);
  void* second = omp_alloc(600, allocator);
  EXPECT_NE(second, nullptr);
  omp_free(second, 0);
  omp_destroy_allocator(allocator);
}

TEST(Allocators, PoolCountsWhatABlockTakesBesideItsContents) {
  const OmpAllocatorTrait traits[] = {{trait_pool_size, 1000}, {trait_fallback, null_fallback}};
  const uintptr_t allocator = omp_init_allocator(0, 2, traits);
  void* first = omp_alloc(500, allocator);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(omp_alloc(500, allocator), nullptr) << "the halves do not fit with their headers";
  omp_free(first, allocator);
  EXPECT_EQ(omp_alloc(1000, allocator), nullptr);
  EXPECT_EQ(omp_alloc(SIZE_MAX - 8, allocator), nullptr) << "must not wrap around";
  omp_destroy_allocator(allocator);
}

TEST(Allocators, Fallbacks) {
  const OmpAllocatorTrait small[] = {{trait_pool_size, 10}};
  const uintptr_t with_default = omp_init_allocator(0, 1, small);
  void* block = omp_alloc(600, with_default);
  EXPECT_NE(block, nullptr) << "the default fallback is the default memory";
  omp_free(block, with_default);
  const OmpAllocatorTrait other[] = {
      {trait_pool_size, 10}, {trait_fallback, allocator_fallback}, {trait_fallback_data, omp_default_mem_alloc}};
  const uintptr_t with_other = omp_init_allocator(0, 3, other);
  block = omp_alloc(600, with_other);
  EXPECT_NE(block, nullptr);
  omp_free(block, with_other);
  const OmpAllocatorTrait abort[] = {{trait_pool_size, 10}, {trait_fallback, abort_fallback}};
  const uintptr_t with_abort = omp_init_allocator(0, 2, abort);
  EXPECT_EXIT(omp_alloc(600, with_abort), testing::ExitedWithCode(1), "hetmp: .*abort_fb");
  for (uintptr_t allocator : {with_default, with_other, with_abort})
    omp_destroy_allocator(allocator);
}

TEST(Allocators, NonsenseMakesNoAllocator) {
  const OmpAllocatorTrait odd[] = {{trait_alignment, 24}};
  EXPECT_EQ(omp_init_allocator(0, 1, odd), omp_null_allocator);
  EXPECT_EQ(omp_init_allocator(77, 0, nullptr), omp_null_allocator);
}

TEST(Allocators, DefaultAllocator) {
  EXPECT_EQ(omp_get_default_allocator(), omp_default_mem_alloc);
  const OmpAllocatorTrait traits[] = {{trait_alignment, 512}};
  const uintptr_t allocator = omp_init_allocator(0, 1, traits);
  omp_set_default_allocator(allocator);
  EXPECT_EQ(omp_get_default_allocator(), allocator);
  void* block = __kmpc_alloc(0, 10, omp_null_allocator);
  EXPECT_TRUE(aligned(block, 512));
  __kmpc_free(0, block, omp_null_allocator);
  omp_set_default_allocator(omp_default_mem_alloc);
  omp_destroy_allocator(allocator);
}

TEST(KmpMemory, Family) {
  auto* bytes = static_cast<char*>(kmp_malloc(100));
  memset(bytes, 3, 100);
  bytes = static_cast<char*>(kmp_realloc(bytes, 1000));
  EXPECT_EQ(bytes[99], 3);
  kmp_free(bytes);
  void* block = kmp_aligned_malloc(100, 128);
  EXPECT_TRUE(aligned(block, 128));
  kmp_free(block);
  bytes = static_cast<char*>(kmp_calloc(10, 10));
  EXPECT_EQ(bytes[99], 0);
  kmp_free(bytes);
}

TEST(Pools, ABlockGrowsAndShrinksInItsPlace) {
  const OmpAllocatorTrait traits[] = {{trait_pool_size, 4096}, {trait_fallback, null_fallback}};
  const uintptr_t allocator = omp_init_allocator(0, 2, traits);
  auto* block = static_cast<char*>(omp_alloc(2500, allocator));
  ASSERT_NE(block, nullptr);
  memset(block, 7, 2500);
  block = static_cast<char*>(omp_realloc(block, 2600, allocator, allocator));
  ASSERT_NE(block, nullptr) << "there was no room for both, but for the larger one";
  EXPECT_EQ(block[2499], 7);
  EXPECT_EQ(omp_realloc(block, 5000, allocator, allocator), nullptr);
  EXPECT_EQ(omp_alloc(2000, allocator), nullptr) << "the block has stayed";
  block = static_cast<char*>(omp_realloc(block, 1000, 0, 0));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block[999], 7);
  void* other = omp_alloc(2000, allocator);
  EXPECT_NE(other, nullptr) << "what the smaller block leaves";
  omp_free(other, allocator);
  omp_free(block, allocator);
  block = static_cast<char*>(omp_alloc(3900, allocator));
  EXPECT_NE(block, nullptr) << "all has been given back";
  omp_free(block, allocator);
  omp_destroy_allocator(allocator);
}

} // namespace
