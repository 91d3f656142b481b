// run: OMP_MAX_TASK_PRIORITY=5
// priority: whatever it is, every task is executed. (Which one comes first is the runtime's choice.)
#include "check.h"

#include <omp.h>

int main(void) {
  static int order[30], next;
  CHECK_EQUAL(omp_get_max_task_priority(), 5);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++)
#pragma omp task priority(i % 8) firstprivate(i)
    order[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] = i % 8;
  CHECK_EQUAL(next, 30);
  int seen[8] = {0};
  for (int i = 0; i < 30; i++)
    seen[order[i]]++;
  for (int i = 0; i < 8; i++)
    CHECK_EQUAL(seen[i], i < 6 ? 4 : 3);
  return finish();
}
