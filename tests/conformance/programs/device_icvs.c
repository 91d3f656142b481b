// How many teams there may be and how many threads of each belong to the device, which all nodes are part of: a region
// finds what was set before it, wherever its threads are.
#include "check.h"

#include <omp.h>

int main(void) {
  for (int round = 1; round <= 3; round++) {
    omp_set_num_teams(2 + round);
    omp_set_teams_thread_limit(6 + round);
#pragma omp parallel num_threads(4)
    {
      CHECK_EQUAL(omp_get_max_teams(), 2 + round);
      CHECK_EQUAL(omp_get_teams_thread_limit(), 6 + round);
    }
  }
  return finish();
}
