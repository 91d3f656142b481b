// Every thread changes its own words only, but the words of all threads lie side by side in the same pages.
#include "stress.hpp"

#include <initializer_list>
#include <omp.h>

namespace {

constexpr int threads = 8, pages = 8, page_words = 512;
alignas(4096) volatile uint64_t words[pages * page_words];
volatile uint8_t bytes[threads];
struct {
  volatile uint16_t value[threads];
} halves;

/// Words interleaved: thread t owns every word whose index is t modulo the team's size.
void increment_own_words(int team, int rounds) {
  for (volatile uint64_t& word : words)
    word = 0;
#pragma omp parallel num_threads(team)
  {
    CHECK_EQUAL(omp_get_num_threads(), team);
    const int me = omp_get_thread_num();
    for (int round = 0; round < rounds; ++round)
      for (int i = me; i < pages * page_words; i += team)
        words[i] = words[i] + 1;
  }
  for (const volatile uint64_t& word : words)
    CHECK_EQUAL(word, rounds);
}

/// One word each on one page, as fast as it goes: the page is always wanted by all.
void hammer_one_page(int team, uint64_t rounds) {
  alignas(4096) static volatile uint64_t own[page_words];
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    own[me] = 0;
    for (uint64_t i = 0; i < rounds; ++i) {
      CHECK_EQUAL(own[me], i);
      own[me] = i + 1;
    }
  }
  for (int i = 0; i < team; ++i)
    CHECK_EQUAL(own[i], rounds);
}

/// Units smaller than a word: neighbours in the same word must not be torn or lost.
void increment_parts_of_words(int rounds) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    bytes[me] = uint8_t(me);
    halves.value[me] = uint16_t(me);
    for (int i = 0; i < rounds; ++i) {
      bytes[me] = uint8_t(bytes[me] + 1);
      halves.value[me] = uint16_t(halves.value[me] + 1);
    }
  }
  for (int i = 0; i < threads; ++i) {
    CHECK_EQUAL(bytes[i], uint8_t(rounds + i));
    CHECK_EQUAL(halves.value[i], uint16_t(rounds + i));
  }
}

/// An object across a page boundary, changed by one thread while others change what surrounds it.
void straddle_pages(int rounds) {
  static char memory[3 * 4096 + 64];
  char* boundary = memory + (4096 - uintptr_t(memory) % 4096) + 4096;
#pragma omp parallel num_threads(4)
  {
    struct __attribute__((packed)) Odd {
      uint64_t a, b;
    };
    const int me = omp_get_thread_num();
    volatile Odd* mine = reinterpret_cast<volatile Odd*>(boundary - 4 - 16 * (me - 1));
    mine->a = mine->b = 0;
#pragma omp barrier
    for (int i = 0; i < rounds; ++i) {
      mine->a = mine->a + 1;
      mine->b = mine->b + 2;
    }
    CHECK_EQUAL(mine->a, rounds);
    CHECK_EQUAL(mine->b, 2 * rounds);
  }
}

} // namespace

int main() {
  for (int team : {2, 3, 4, 8})
    increment_own_words(team, 20);
  for (int team : {2, 4, 8})
    hammer_one_page(team, 100'000);
  increment_parts_of_words(50'000);
  straddle_pages(20'000);
}
