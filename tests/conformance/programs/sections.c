// sections: each runs once, more of them than threads and fewer, with lastprivate and nowait.
#include "check.h"

#include <omp.h>

int main(void) {
  static int runs[8];
  int last = 0, sum = 0;
  for (int round = 0; round < 10; round++) {
#pragma omp parallel sections lastprivate(last) reduction(+ : sum)
    {
#pragma omp section
      {
        raise_by_one(&runs[0]);
        sum += 1;
        last = 1;
      }
#pragma omp section
      {
        raise_by_one(&runs[1]);
        sum += 2;
        last = 2;
      }
#pragma omp section
      {
        raise_by_one(&runs[2]);
        sum += 3;
        last = 3;
      }
#pragma omp section
      {
        raise_by_one(&runs[3]);
        sum += 4;
        last = 4;
      }
#pragma omp section
      {
        raise_by_one(&runs[4]);
        sum += 5;
        last = 5;
      }
#pragma omp section
      {
        raise_by_one(&runs[5]);
        sum += 6;
        last = 6;
      }
    }
    CHECK_EQUAL(last, 6);
#pragma omp parallel
    {
#pragma omp sections nowait
      {
#pragma omp section
        raise_by_one(&runs[6]);
      }
#pragma omp sections
      {
#pragma omp section
        raise_by_one(&runs[7]);
#pragma omp section
        raise_by_one(&runs[7]);
      }
    }
  }
  for (int i = 0; i < 7; i++)
    CHECK_EQUAL(runs[i], 10);
  CHECK_EQUAL(runs[7], 20);
  CHECK_EQUAL(sum, 210);
  return finish();
}
