// Global variables of a shared object that belongs to the program.

// library: own_library_part.cpp
#include "own_library_part.hpp"
#include "stress.hpp"

#include <omp.h>

int main() {
  constexpr int team = 6, rounds = 300;
  CHECK_EQUAL(part::initialised, 4711);
  CHECK(part::constructed == "built by a constructor of the library, before main");
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    CHECK_EQUAL(part::initialised, 4711);
    for (int i = 0; i < rounds; ++i) {
      part::count();
#pragma omp atomic
      part::counter += 2;
      part::table[i * team + me] = i;
    }
#pragma omp critical
    part::constructed += "!";
  }
  CHECK_EQUAL(part::counter, 3 * team * rounds);
  CHECK_EQUAL(part::hidden_count(), team * rounds);
  CHECK_EQUAL(part::constructed.size(), 50 + team);
  for (int i = 0; i < team * rounds; ++i)
    CHECK_EQUAL(part::table[i], i / team);
  CHECK_EQUAL(part::sum_in_library(team), (rounds - 1) * rounds / 2 * team);
  static_assert(sizeof part::table / sizeof part::table[0] >= team * rounds);
}
