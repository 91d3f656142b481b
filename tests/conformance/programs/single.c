// single: one thread runs it, the others wait for it unless told not to; private and firstprivate.
#include "check.h"

#include <omp.h>

int main(void) {
  enum { rounds = 50 };
  static int waited[rounds], hurried[rounds];
  int given = 5;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
#pragma omp single
    raise_by_one(&waited[round]);
    CHECK_EQUAL(waited[round], 1);
#pragma omp single nowait firstprivate(given)
    {
      given++;
      CHECK_EQUAL(given, 6);
      raise_by_one(&hurried[round]);
    }
  }
  for (int round = 0; round < rounds; round++) {
    CHECK_EQUAL(waited[round], 1);
    CHECK_EQUAL(hurried[round], 1);
  }
  CHECK_EQUAL(given, 5);
  return finish();
}
