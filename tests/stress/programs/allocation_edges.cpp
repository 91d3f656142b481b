// The corners of the allocation functions, on every node: alignments, sizes that overflow, zero, blocks that grow and
// shrink while they change hands.

// flags: -fno-builtin -fno-assume-sane-operator-new
#include "stress.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <malloc.h>
#include <new>
#include <omp.h>

namespace {

constexpr int team = 6;
constexpr size_t most = ~size_t(0);

bool aligned(const void* block, size_t alignment) { return uintptr_t(block) % alignment == 0; }

void alignments() {
#pragma omp parallel num_threads(team)
  for (size_t alignment = 16; alignment <= size_t(4) << 20; alignment *= 2)
    for (size_t bytes : {size_t(1), alignment - 1, alignment, 3 * alignment}) {
      void* blocks[4] = {aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment),
                         memalign(alignment, bytes), nullptr, nullptr};
      CHECK_EQUAL(posix_memalign(&blocks[2], alignment, bytes), 0);
      blocks[3] = operator new(bytes, std::align_val_t(alignment));
      for (void* block : blocks) {
        CHECK(block != nullptr && aligned(block, alignment));
        CHECK(block == blocks[3] || malloc_usable_size(block) >= bytes);
        memset(block, 1, bytes);
      }
      for (int i = 0; i < 3; ++i)
        free(blocks[i]);
      operator delete(blocks[3], std::align_val_t(alignment));
    }
}

void impossible_sizes() {
#pragma omp parallel num_threads(team)
  {
    void* block = nullptr;
    volatile size_t odd = 24, small = 2, huge = size_t(1) << 63, beyond = huge + 10; // the compiler knows better
    CHECK(malloc(most) == nullptr && errno == ENOMEM);
    CHECK(calloc(most / 2, 3) == nullptr && errno == ENOMEM);
    CHECK(calloc(size_t(1) << 33, size_t(1) << 33) == nullptr);
    CHECK(memalign(64, most - 5) == nullptr);
    CHECK(pvalloc(most - 5) == nullptr);
    CHECK(valloc(most - 5) == nullptr);
    CHECK(memalign(huge, 10) == nullptr);
    CHECK(memalign(beyond, 10) == nullptr);
    CHECK_EQUAL(posix_memalign(&block, odd, 100), EINVAL);
    CHECK_EQUAL(posix_memalign(&block, small, 100), EINVAL);
    CHECK_EQUAL(posix_memalign(&block, 64, most - 63), ENOMEM);
    CHECK(block == nullptr);
    CHECK(reallocarray(nullptr, most / 2, 3) == nullptr && errno == ENOMEM);
  }
}

void zero_and_null() {
#pragma omp parallel num_threads(team)
  {
    void *one = malloc(0), *other = malloc(0);
    CHECK(one && other && one != other);
    CHECK(realloc(one, 0) == nullptr);
    free(other);
    free(nullptr);
    CHECK_EQUAL(malloc_usable_size(nullptr), 0);
    void* block = realloc(nullptr, 50);
    CHECK(block && malloc_usable_size(block) >= 50);
    free(block);
    free(calloc(0, 100));
    errno = 77;
    free(malloc(1 << 20));
    CHECK_EQUAL(errno, 77);
  }
}

/// A block goes from thread to thread; each makes it larger or smaller, and what was in it stays.
void passed_on() {
  unsigned char* block = nullptr;
  size_t bytes = 0;
  constexpr int rounds = 60;
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    if (omp_get_thread_num() == round * 5 % team) {
      stress::Random random(stress::seed(), uint64_t(round));
      const size_t wanted = size_t(1) << random.below(21), fresh = wanted + random.below(wanted);
      block = static_cast<unsigned char*>(realloc(block, fresh));
      CHECK(block != nullptr && malloc_usable_size(block) >= fresh);
      for (size_t i = 0; i < std::min(bytes, fresh); ++i)
        CHECK_EQUAL(block[i], i % 253);
      for (size_t i = bytes; i < fresh; ++i)
        block[i] = static_cast<unsigned char>(i % 253);
      bytes = fresh;
    }
#pragma omp barrier
  }
  free(block);
}

/// Fresh from calloc is zero, also where something else has been.
void zeros() {
#pragma omp parallel num_threads(team)
  for (int round = 0; round < 20; ++round) {
    stress::Random random(stress::seed(), uint64_t(omp_get_thread_num() * 100 + round));
    const size_t bytes = size_t(1) << random.below(20);
    unsigned char* block = static_cast<unsigned char*>(calloc(bytes, 1));
    CHECK(block != nullptr);
    CHECK(std::all_of(block, block + bytes, [](unsigned char byte) { return byte == 0; }));
    memset(block, 0xff, bytes);
    free(block);
  }
}

} // namespace

int main() {
  alignments();
  impossible_sizes();
  zero_and_null();
  passed_on();
  zeros();
}
