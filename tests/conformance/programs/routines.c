// omp_* routines: what they say before, inside and after regions, and that settings stay within their task.
#include "check.h"

#include <omp.h>

static void check_inside(void) {
#pragma omp parallel num_threads(4)
  {
    CHECK_EQUAL(omp_in_parallel(), 1);
    CHECK_EQUAL(omp_get_num_threads(), 4);
    CHECK_EQUAL(omp_get_team_size(omp_get_level()), 4);
    CHECK_EQUAL(omp_get_ancestor_thread_num(omp_get_level()), omp_get_thread_num());
    CHECK_EQUAL(omp_get_team_size(9), -1);
    CHECK_EQUAL(omp_get_ancestor_thread_num(-1), -1);
    omp_set_num_threads(2 + omp_get_thread_num()); // this implicit task's only
    CHECK_EQUAL(omp_get_max_threads(), 2 + omp_get_thread_num());
  }
}

int main(void) {
  CHECK_EQUAL(omp_get_max_threads(), 4);
  CHECK_EQUAL(omp_get_level(), 0);
  CHECK_EQUAL(omp_get_active_level(), 0);
  CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
  CHECK_EQUAL(omp_get_team_size(0), 1);
  CHECK(omp_get_num_procs() >= 1);
  CHECK(omp_get_thread_limit() >= 4);
  CHECK(omp_get_supported_active_levels() >= 1);
  CHECK_EQUAL(omp_get_cancellation(), 0);
  CHECK_EQUAL(omp_in_final(), 0);
  CHECK(omp_get_max_task_priority() >= 0);
  CHECK_EQUAL(omp_get_dynamic(), 0);
  omp_set_dynamic(1);
  CHECK_EQUAL(omp_get_dynamic(), 1);
  omp_set_dynamic(0);
  check_inside();
  CHECK_EQUAL(omp_get_max_threads(), 4);
  CHECK_EQUAL(omp_in_parallel(), 0);
  omp_set_max_active_levels(3);
  CHECK_EQUAL(omp_get_max_active_levels(), 3);
  const double begin = omp_get_wtime();
  CHECK(omp_get_wtick() > 0);
  CHECK(omp_get_wtime() >= begin);
  CHECK(omp_is_initial_device());
  CHECK_EQUAL(omp_get_num_teams(), 1);
  CHECK_EQUAL(omp_get_team_num(), 0);
  return finish();
}
