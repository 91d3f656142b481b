#include "own_library_part.hpp"

namespace part {

int initialised = 4711;
long counter;
int table[8192];
std::string constructed = "built by a constructor of the library, before main";

static long hidden; // reached by relative addressing, not through a table

void count() {
#pragma omp atomic
  hidden++;
#pragma omp atomic
  counter++;
}

long hidden_count() { return hidden; }

long sum_in_library(int team) {
  long sum = 0;
#pragma omp parallel for num_threads(team) reduction(+ : sum)
  for (int i = 0; i < 8192; ++i)
    sum += table[i];
  return sum;
}

} // namespace part
