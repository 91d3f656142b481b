// flush: one thread hands a value to another through two ordinary variables.
#include "check.h"

#include <omp.h>

static int value, ready;

int main(void) {
  for (int round = 1; round <= 20; round++) {
    int received = 0;
    value = ready = 0;
#pragma omp parallel num_threads(2) shared(received)
    {
      if (omp_get_thread_num() == 0) {
        value = round * 7;
#pragma omp flush
#pragma omp atomic write
        ready = 1;
#pragma omp flush
      } else {
        int seen = 0;
        while (!seen) {
#pragma omp flush
#pragma omp atomic read
          seen = ready;
        }
#pragma omp flush
        received = value;
      }
    }
    CHECK_EQUAL(received, round * 7);
  }
  return finish();
}
