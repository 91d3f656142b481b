// While the nodes are made, threads that a constructor has started hold the locks of the heap and of the C library's
// streams now and then: no node begins with a lock that nobody there will open.

// library: early_calls_part.cpp
#include "stress.hpp"

#include <cstdlib>
#include <omp.h>

extern "C" void stop_early_calls();

int main() {
  constexpr int rounds = 50;
  int sum = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
  for (int i = 0; i < rounds; ++i) {
    char* const block = static_cast<char*>(malloc(100));
    CHECK(block != nullptr);
    block[99] = 1;
    sum += block[99];
    free(block);
  }
  CHECK_EQUAL(sum, 8 * rounds);
  stop_early_calls();
}
