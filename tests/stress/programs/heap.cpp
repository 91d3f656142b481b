// Memory allocated by one node, filled by another, checked by a third and freed by a fourth.
#include "stress.hpp"

#include <algorithm>
#include <cstring>
#include <malloc.h>
#include <memory>
#include <omp.h>
#include <sys/mman.h>

namespace {

constexpr int threads = 8;

struct Block {
  uint8_t* memory = nullptr;
  size_t bytes = 0;
  uint64_t tag = 0;
  enum Kind { Malloc, Calloc, New, Aligned, Realloc, Memalign, kinds } kind = Malloc;
};

uint8_t pattern(uint64_t tag, size_t index) { return uint8_t(tag * 31 + index * 7 + (index >> 8)); }

void fill(Block& block) {
  for (size_t i = 0; i < block.bytes; ++i)
    block.memory[i] = pattern(block.tag, i);
}

void check(const Block& block, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    CHECK_EQUAL(block.memory[i], pattern(block.tag, i));
}

size_t any_size(stress::Random& random) {
  switch (random.below(8)) {
  case 0:
    return random.below(200'000);
  case 1:
    return 4096 * (1 + random.below(8));
  case 2:
    return (size_t(1) << random.below(17)) + random.below(3);
  default:
    return 1 + random.below(600);
  }
}

Block allocate(stress::Random& random, uint64_t tag) {
  Block block;
  block.kind = Block::Kind(random.below(Block::kinds));
  block.bytes = any_size(random);
  block.tag = tag;
  switch (block.kind) {
  case Block::Calloc:
    block.memory = static_cast<uint8_t*>(calloc(1, block.bytes));
    for (size_t i = 0; i < block.bytes; ++i)
      CHECK_EQUAL(block.memory[i], 0);
    break;
  case Block::New:
    block.memory = static_cast<uint8_t*>(operator new(block.bytes));
    break;
  case Block::Aligned: {
    void* memory = nullptr;
    const size_t alignment = size_t(16) << random.below(12);
    CHECK_EQUAL(posix_memalign(&memory, alignment, block.bytes), 0);
    CHECK_EQUAL(uintptr_t(memory) % alignment, 0);
    block.memory = static_cast<uint8_t*>(memory);
    break;
  }
  case Block::Memalign:
    block.memory = static_cast<uint8_t*>(memalign(256, block.bytes));
    CHECK_EQUAL(uintptr_t(block.memory) % 256, 0);
    break;
  default:
    block.memory = static_cast<uint8_t*>(malloc(block.bytes));
  }
  CHECK(block.memory != nullptr || block.bytes == 0);
  CHECK(malloc_usable_size(block.memory) >= block.bytes);
  fill(block);
  return block;
}

void release(Block& block) {
  if (block.kind == Block::New)
    operator delete(block.memory);
  else
    free(block.memory);
  block = {};
}

/// A table of blocks whose slots change hands at random, one phase after the other.
void change_hands(int phases) {
  constexpr int slots = 160;
  static Block table[slots];
#pragma omp parallel num_threads(threads)
  for (int phase = 0; phase < phases; ++phase) {
    const uint64_t me = uint64_t(omp_get_thread_num());
    stress::Random random(stress::seed(), me * 1000 + uint64_t(phase));
    for (int i = 0; i < slots; ++i) {
      if (stress::mix(stress::seed(), uint64_t(phase), uint64_t(i)) % threads != me)
        continue; // each slot belongs to one thread in each phase
      Block& block = table[i];
      if (!block.memory) {
        block = allocate(random, uint64_t(phase) * slots + uint64_t(i));
        continue;
      }
      check(block, block.bytes);
      if (block.kind == Block::Realloc) {
        const size_t bytes = 1 + any_size(random);
        block.memory = static_cast<uint8_t*>(realloc(block.memory, bytes));
        CHECK(block.memory != nullptr);
        check(block, std::min(bytes, block.bytes));
        block.bytes = bytes;
        fill(block);
        if (random.below(3))
          continue;
      }
      if (random.below(4))
        release(block);
    }
#pragma omp barrier
  }
  for (Block& block : table)
    if (block.memory) {
      check(block, block.bytes);
      release(block);
    }
}

/// A list that all threads build together; then each node of it is freed by whoever reaches it in a parallel
/// loop.
void chains(int length) {
  struct Link {
    Link* next;
    uint64_t owner, index;
  };
  Link* head = nullptr;
  std::unique_ptr<Link*[]> links(new Link*[size_t(length) * threads]);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < length; ++i) {
    Link* fresh = new Link{nullptr, uint64_t(omp_get_thread_num()), uint64_t(i)};
#pragma omp critical
    {
      fresh->next = head;
      head = fresh;
    }
  }
  size_t count = 0;
  uint64_t expected[threads];
  std::fill_n(expected, threads, uint64_t(length));
  for (Link* link = head; link; link = link->next) {
    CHECK_EQUAL(link->index, --expected[link->owner]); // a thread's own links: last in, first out
    links[count++] = link;
  }
  CHECK_EQUAL(count, length * threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 7)
  for (size_t i = 0; i < count; ++i) {
    CHECK(links[i]->next == (i + 1 < count ? links[i + 1] : nullptr));
    delete links[i];
  }
}

/// Mappings made by one node and taken back, wholly or in parts, by others.
void mappings() {
  static uint64_t* area[threads];
  constexpr size_t words = 16 * 512;
  for (int round = 0; round < stress::portion(4); ++round) {
#pragma omp parallel num_threads(threads)
    {
      const int me = omp_get_thread_num();
      void* memory = mmap(nullptr, words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(memory != MAP_FAILED);
      area[me] = static_cast<uint64_t*>(memory);
      for (size_t i = 0; i < words; i += 64)
        CHECK_EQUAL(area[me][i], 0);
#pragma omp barrier
      uint64_t* other = area[(me + round + 1) % threads];
      for (size_t i = 0; i < words; i += 64)
        other[i] = i + uint64_t(me);
#pragma omp barrier
      const int writer = (me + threads - round - 1) % threads;
      for (size_t i = 0; i < words; i += 64)
        CHECK_EQUAL(area[me][i], i + uint64_t(writer));
#pragma omp barrier
      CHECK_EQUAL(munmap(other, words * 4), 0);
      CHECK_EQUAL(munmap(other + words / 2, words * 4), 0);
    }
  }
}

} // namespace

int main() {
  change_hands(stress::portion(24));
  chains(stress::portion(300));
  mappings();
}
