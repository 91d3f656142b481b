// Which thread a static loop gives an iteration: the specification says so, and programs rely on it.
#include "check.h"

#include <omp.h>

enum { count = 157 };

int main(void) {
  static int first[count], second[count], chunked[count];
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      first[i] = omp_get_thread_num();
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      second[i] = omp_get_thread_num();
#pragma omp for schedule(static, 5)
    for (int i = 0; i < count; i++)
      chunked[i] = omp_get_thread_num();
  }
  for (int i = 0; i < count; i++) {
    CHECK_EQUAL(first[i], second[i]);
    CHECK_EQUAL(chunked[i], i / 5 % threads);
    if (i > 0) // one contiguous share a thread, in the order of their numbers
      CHECK(first[i] >= first[i - 1]);
  }
  CHECK_EQUAL(first[0], 0);
  CHECK_EQUAL(first[count - 1], threads - 1);
  return finish();
}
