// critical: unnamed, named, with a hint; names do not exclude each other, equal names do, also across
// functions.
#include "check.h"

#include <omp.h>

enum { rounds = 100 };
static int unnamed, left, right, hinted, inside_unnamed, inside_left;

static void raise_left(void) {
#pragma omp critical(left)
  {
    CHECK_EQUAL(raise_by_one(&inside_left), 0);
    left++;
    __atomic_fetch_sub(&inside_left, 1, __ATOMIC_RELAXED);
  }
}

int main(void) {
#pragma omp parallel num_threads(4)
  for (int round = 0; round < rounds; round++) {
#pragma omp critical
    {
      CHECK_EQUAL(raise_by_one(&inside_unnamed), 0);
      unnamed++;
      __atomic_fetch_sub(&inside_unnamed, 1, __ATOMIC_RELAXED);
    }
    raise_left();
#pragma omp critical(left)
    {
      CHECK_EQUAL(raise_by_one(&inside_left), 0);
      left++;
#pragma omp critical(right) // a second one inside the first
      right++;
      __atomic_fetch_sub(&inside_left, 1, __ATOMIC_RELAXED);
    }
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    hinted++;
  }
  CHECK_EQUAL(unnamed, 4 * rounds);
  CHECK_EQUAL(left, 8 * rounds);
  CHECK_EQUAL(right, 4 * rounds);
  CHECK_EQUAL(hinted, 4 * rounds);
  return finish();
}
