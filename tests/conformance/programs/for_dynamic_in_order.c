// What a thread gets of a monotonic loop comes in the loop's order. libgomp does the same where the loop need not be
// monotonic, and programs compiled by gcc count on that: one that keeps the first iteration it meets takes it for the
// lowest.
#include "check.h"

#include <omp.h>

enum { count = 2001 };

static void look(int i, int* last) {
  CHECK(i > *last);
  *last = i;
}

int main(void) {
  for (int round = 0; round < 3; round++) {
    for (int threads = 1; threads <= 8; threads++) {
#pragma omp parallel num_threads(threads)
      {
        int last = -1;
#pragma omp for schedule(monotonic : dynamic)
        for (int i = 0; i < count; i++)
          look(i, &last);
        last = -1;
#pragma omp for schedule(monotonic : dynamic, 7)
        for (int i = 0; i < count; i++)
          look(i, &last);
#if !defined(__clang__)
        last = -1;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < count; i++)
          look(i, &last);
        last = -1;
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < count; i++)
          look(i, &last);
        last = -1;
#pragma omp for schedule(guided)
        for (int i = 0; i < count; i++)
          look(i, &last);
#endif
      }
    }
  }
  return finish();
}
