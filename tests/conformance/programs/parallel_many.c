// Many regions one after another, of changing size: nothing is left over from one to the next.
#include "check.h"

#include <omp.h>

int main(void) {
  long total = 0, expected = 0;
  for (int round = 0; round < 150; round++) {
    const int threads = 1 + round % 6;
    int here = 0;
#pragma omp parallel num_threads(threads) shared(here)
    {
#pragma omp atomic
      here += omp_get_thread_num() + 1;
    }
    total += here;
    expected += threads * (threads + 1) / 2;
  }
  CHECK_EQUAL(total, expected);
  return finish();
}
