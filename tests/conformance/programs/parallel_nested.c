// Regions inside regions: one thread where nesting is off, teams of their own where it is on; levels and
// ancestors.
#include "check.h"

#include <omp.h>

static void one_level(void) {
  omp_set_max_active_levels(1);
  int inner = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp parallel num_threads(4)
    {
      raise_by_one(&inner);
      CHECK_EQUAL(omp_get_num_threads(), 1);
      CHECK_EQUAL(omp_get_thread_num(), 0);
      CHECK_EQUAL(omp_get_level(), 2);
      CHECK_EQUAL(omp_get_active_level(), 1);
    }
  }
  CHECK_EQUAL(inner, 3);
}

static void two_levels(void) {
  omp_set_max_active_levels(2);
  CHECK_EQUAL(omp_get_max_active_levels(), 2);
  int seen[2][3] = {{0}};
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(3) firstprivate(outer)
    {
      CHECK_EQUAL(omp_get_num_threads(), 3);
      CHECK_EQUAL(omp_get_level(), 2);
      CHECK_EQUAL(omp_get_active_level(), 2);
      CHECK_EQUAL(omp_get_ancestor_thread_num(0), 0);
      CHECK_EQUAL(omp_get_ancestor_thread_num(1), outer);
      CHECK_EQUAL(omp_get_ancestor_thread_num(2), omp_get_thread_num());
      CHECK_EQUAL(omp_get_ancestor_thread_num(3), -1);
      CHECK_EQUAL(omp_get_team_size(1), 2);
      CHECK_EQUAL(omp_get_team_size(2), 3);
      raise_by_one(&seen[outer][omp_get_thread_num()]);
#pragma omp for reduction(+ : sum) schedule(dynamic)
      for (int i = 0; i < 50; i++)
        sum += i;
    }
    CHECK_EQUAL(omp_get_num_threads(), 2);
    CHECK_EQUAL(omp_get_thread_num(), outer);
  }
  CHECK_EQUAL(sum, 2 * 1225);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      CHECK_EQUAL(seen[i][j], 1);
}

int main(void) {
  CHECK_EQUAL(omp_get_level(), 0);
  for (int round = 0; round < 5; round++) {
    one_level();
    two_levels();
  }
  CHECK_EQUAL(omp_get_level(), 0);
  return finish();
}
