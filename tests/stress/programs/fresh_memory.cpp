// Memory that nobody has touched yet, beside pages that other nodes have: each page is zeros to whoever comes first,
// and keeps what was written into it when its neighbours become zeros. Some of it is given back and used again.
// run:
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PREFETCH=false OMP_NUM_THREADS=7
#include "stress.hpp"

#include <omp.h>
#include <sys/mman.h>

namespace {

constexpr size_t page_words = 4096 / sizeof(uint64_t), pages = 4096, rounds = 6;

uint64_t* memory;

/// The pages in an order of the round's own: each number once, as the factor is odd and their count a power of two.
size_t nth_page(size_t n, size_t round) { return (n * (2 * (round * 1001 + 7) + 1) + round * 97) % pages; }

/// What a thread writes into a page's first word, and into its own one.
uint64_t mark(size_t page, size_t round) { return stress::mix(page, round); }

void touch(size_t page, size_t round) {
  uint64_t* const words = memory + page * page_words;
  const size_t one = stress::mix(page, round, 1) % page_words;
  for (size_t i = 0; i < page_words; i += 37)
    CHECK_EQUAL(words[i], 0);
  CHECK_EQUAL(words[one], 0);
  words[one] = mark(page, round);
  words[0] = mark(page, round);
}

void expect_marks(size_t page, size_t round) {
  const uint64_t* const words = memory + page * page_words;
  const size_t one = stress::mix(page, round, 1) % page_words;
  CHECK_EQUAL(words[0], mark(page, round));
  CHECK_EQUAL(words[one], mark(page, round));
  for (size_t i = 1; i < page_words; i += 41)
    if (i != one)
      CHECK_EQUAL(words[i], 0);
}

void one_round(size_t round) {
  uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 16) nowait
    for (size_t n = 0; n < pages / 2; ++n) {
      touch(nth_page(n, round), round);
      sum += stress::compute(n, stress::threads_must_travel() ? 8000 : 400) & 1;
    }
#pragma omp for schedule(static, 3)
    for (size_t n = pages / 2; n < pages; ++n)
      if (n % 5 != 0) // these stay untouched
        touch(nth_page(n, round), round);
#pragma omp for schedule(static)
    for (size_t n = 0; n < pages; ++n)
      if (n < pages / 2 || n % 5 != 0)
        expect_marks(nth_page(n, round), round);
  }
  CHECK(sum <= pages);
}

} // namespace

int main() {
  const size_t bytes = pages * page_words * sizeof(uint64_t);
  void* block = nullptr;
  CHECK_EQUAL(posix_memalign(&block, size_t(2) << 20, bytes), 0);
  memory = static_cast<uint64_t*>(block);
  CHECK_EQUAL(madvise(memory, bytes, MADV_DONTNEED), 0);
  for (size_t round = 0; round < rounds; ++round) {
    one_round(round);
    if (round % 2 == 0) {
      CHECK_EQUAL(madvise(memory, bytes, MADV_DONTNEED), 0);
    } else { // the untouched ones are still zeros, and all becomes so again
      for (size_t n = 0; n < pages; ++n) {
        uint64_t* const words = memory + nth_page(n, round) * page_words;
        if (n >= pages / 2 && n % 5 == 0)
          CHECK_EQUAL(words[n % page_words], 0);
        for (size_t i = 0; i < page_words; ++i)
          words[i] = 0;
      }
    }
  }
  free(block);
}
