// target constructs where there is no device: the region is executed by the host, with copies of firstprivate variables
// and with mapped ones themselves; dependences of target tasks hold.
#include "check.h"

#include <omp.h>

static int global = 1;

int main(void) {
  CHECK(omp_is_initial_device());
  for (int round = 0; round < 5; round++) {
    int array[4] = {1, 2, 3, 4}, mapped[4] = {0}, scalar = round;
    double number = 0.5;
    char letter = 'x';
#pragma omp target firstprivate(array, number, letter, scalar) map(tofrom : mapped)
    {
      CHECK_EQUAL(scalar, round);
      CHECK(number == 0.5 && letter == 'x');
      for (int i = 0; i < 4; i++)
        mapped[i] = array[i] + scalar;
      array[0] = 100;
      scalar = 100;
      number = 100;
      letter = 'y';
    }
    CHECK_EQUAL(array[0], 1);
    CHECK_EQUAL(scalar, round);
    CHECK(number == 0.5 && letter == 'x');
    for (int i = 0; i < 4; i++)
      CHECK_EQUAL(mapped[i], array[i] + round);

    int sum = 0;
#pragma omp target data map(tofrom : mapped)
    {
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum, mapped) num_teams(2)
      for (int i = 0; i < 4; i++) {
        mapped[i] *= 2;
        sum += mapped[i];
      }
#pragma omp target update from(mapped)
    }
    CHECK_EQUAL(sum, 20 + 8 * round);

    // Among tasks.
    int chain = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : chain) shared(chain)
      chain = 1;
#pragma omp target depend(inout : chain) map(tofrom : chain) nowait
      chain = chain * 10 + 2;
#pragma omp task depend(inout : chain) shared(chain)
      chain = chain * 10 + 3;
#pragma omp target depend(inout : chain) map(tofrom : chain)
      chain = chain * 10 + 4;
#pragma omp taskwait
      CHECK_EQUAL(chain, 1234);
    }

    int threads = 0;
#pragma omp target map(tofrom : threads, global)
    {
#pragma omp parallel
      raise_by_one(&threads);
      global++;
    }
    CHECK(threads >= 1);
    CHECK_EQUAL(global, 2 + round);
  }
  return finish();
}
