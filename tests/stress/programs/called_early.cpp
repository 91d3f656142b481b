// OpenMP in constructors of a shared object, which may run before those of the runtime where that is preloaded:
// regions, tasks and locks work there, and the program has its nodes all the same.

// library: called_early_part.cpp
// run:
// run: HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <cstring>
#include <omp.h>

extern "C" long early_sum();
extern "C" int early_threads();

int main() {
  CHECK_EQUAL(early_sum(), 4950L + 100);
  CHECK(early_threads() >= 1);
  long sum = 0;
  int elsewhere = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum, elsewhere)
  {
#pragma omp for
    for (int i = 0; i < 100; ++i)
      sum += i;
    elsewhere += stress::is_abroad();
  }
  CHECK_EQUAL(sum, 4950L);
  const char* const nodes = getenv("HETMP_NODES");
  const char* const placement = getenv("HETMP_PLACEMENT");
  if (nodes && placement && strcmp(placement, "all") == 0)
    CHECK(elsewhere > 0);
}
