// omp_set_schedule and omp_get_schedule, and that schedule(runtime) follows them.
#include "check.h"

#include <omp.h>

enum { count = 203 };

static void run_loop(void) {
  static int visits[count];
  for (int i = 0; i < count; i++)
    visits[i] = 0;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < count; i++)
    raise_by_one(&visits[i]);
  for (int i = 0; i < count; i++)
    CHECK_EQUAL(visits[i], 1);
}

int main(void) {
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  const int chunks[] = {1, 4, 1000};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) {
      omp_set_schedule(kinds[k], chunks[c]);
      omp_sched_t kind;
      int chunk;
      omp_get_schedule(&kind, &chunk);
      CHECK_EQUAL(kind, kinds[k]);
      CHECK_EQUAL(chunk, chunks[c]);
      run_loop();
    }
  omp_set_schedule(omp_sched_auto, 0);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQUAL(kind, omp_sched_auto);
  run_loop();
  return finish();
}
