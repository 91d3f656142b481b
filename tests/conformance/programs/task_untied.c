// untied tasks: they wait, make others and go on, perhaps on another thread; taskyield.
#include "check.h"

#include <omp.h>

static int done;

static void walk(int depth) {
  for (int i = 0; i < 2; i++) {
#pragma omp task untied firstprivate(depth)
    {
      int mine = depth;
      if (depth > 0)
        walk(depth - 1);
#pragma omp taskyield
      CHECK_EQUAL(mine, depth);
#pragma omp task firstprivate(mine)
      CHECK(mine >= 0);
#pragma omp taskwait
      raise_by_one(&done);
    }
  }
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < 10; round++) {
    done = 0;
#pragma omp parallel
#pragma omp single
    walk(6);
    CHECK_EQUAL(done, 254);
  }
  return finish();
}
