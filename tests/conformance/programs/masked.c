// masked: the thread that filter names, thread 0 without it, none if no thread has that number.
// clang flags: -fopenmp-version=51
#include "check.h"

#include <omp.h>

int main(void) {
  static int by[8], plain, nobody;
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 20; round++) {
#pragma omp masked
    {
      plain++;
      CHECK_EQUAL(omp_get_thread_num(), 0);
    }
#pragma omp masked filter(round % 4)
    {
      CHECK_EQUAL(omp_get_thread_num(), round % 4);
      raise_by_one(&by[round % 4]);
    }
#pragma omp masked filter(99)
    raise_by_one(&nobody);
  }
  CHECK_EQUAL(plain, 20);
  for (int i = 0; i < 4; i++)
    CHECK_EQUAL(by[i], 5);
  CHECK_EQUAL(nobody, 0);
  return finish();
}
