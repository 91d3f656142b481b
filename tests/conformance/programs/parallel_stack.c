// Private arrays of each thread's stack, and pointers to one thread's locals used by the others.
#include "check.h"

#include <omp.h>

enum { words = 32 * 1024 };

int main(void) {
  int* locals[4];
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
    int large[words];
    const int me = omp_get_thread_num();
    for (int i = 0; i < words; i++)
      large[i] = me;
    locals[me] = large;
#pragma omp barrier
    for (int i = 0; i < words; i += 1024)
      CHECK_EQUAL(large[i], me);
    const int* next = locals[(me + 1) % 4];
    sum += next[0] + next[words - 1];
    locals[me][7] += 10; // still this thread's own
#pragma omp barrier
    CHECK_EQUAL(large[7], me + 10);
  }
  CHECK_EQUAL(sum, 2 * (0 + 1 + 2 + 3));
  return finish();
}
