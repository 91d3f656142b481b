// master: thread 0 alone, and nobody waits for it.
#include "check.h"

#include <omp.h>

int main(void) {
  int runs = 0, thread = -1;
#pragma omp parallel
  for (int round = 0; round < 30; round++) {
#pragma omp master
    {
      runs++;
      thread = omp_get_thread_num();
    }
  }
  CHECK_EQUAL(runs, 30);
  CHECK_EQUAL(thread, 0);
  return finish();
}
