// threadprivate: a value for each thread, kept from one region to the next; copyin gives all the initial
// thread's.
#include "check.h"

#include <omp.h>

static int counter = 3;
static double table[64];
static _Thread_local int plain = 11;
#pragma omp threadprivate(counter, table)

int main(void) {
#pragma omp parallel num_threads(4)
  {
    const int me = omp_get_thread_num();
    CHECK_EQUAL(counter, 3);
    CHECK_EQUAL(plain, 11);
    counter = 10 * me;
    plain = me;
    for (int i = 0; i < 64; i++)
      table[i] = me + i;
  }
  CHECK_EQUAL(counter, 0); // the initial thread is thread 0
#pragma omp parallel num_threads(4)
  {
    const int me = omp_get_thread_num();
    CHECK_EQUAL(counter, 10 * me);
    CHECK_EQUAL(plain, me);
    for (int i = 0; i < 64; i++)
      CHECK_EQUAL(table[i], me + i);
  }
  counter = 77;
  table[5] = -5;
#pragma omp parallel num_threads(4) copyin(counter, table)
  {
    CHECK_EQUAL(counter, 77);
    CHECK_EQUAL(table[5], -5);
    CHECK_EQUAL(table[6], 6);
    counter += omp_get_thread_num();
  }
#pragma omp parallel num_threads(4)
  CHECK_EQUAL(counter, 77 + omp_get_thread_num());
  return finish();
}
