// if: a false condition makes a team of one; omp_in_parallel tells.
#include "check.h"

#include <omp.h>

static int count_threads(int condition) {
  int threads = 0, active = -1;
#pragma omp parallel if (condition) shared(threads, active)
  {
    raise_by_one(&threads);
#pragma omp master
    active = omp_in_parallel();
  }
  CHECK_EQUAL(active, condition != 0);
  return threads;
}

int main(void) {
  CHECK_EQUAL(omp_in_parallel(), 0);
  CHECK_EQUAL(count_threads(0), 1);
  CHECK_EQUAL(count_threads(1), 4);
  CHECK_EQUAL(count_threads(0), 1);
  int sum = 0;
#pragma omp parallel for if (sum > 0) reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 100; i++)
    sum += i;
  CHECK_EQUAL(sum, 4950);
  return finish();
}
