// taskgroup: its end waits for all tasks generated in it and their descendants, and for no others.
#include "check.h"

#include <omp.h>

static void tree(int depth, int* leaves) {
  if (depth == 0)
    raise_by_one(leaves);
  else
    for (int i = 0; i < 2; i++)
#pragma omp task
      tree(depth - 1, leaves);
}

int main(void) {
  for (int round = 0; round < 10; round++) {
    int outer = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
      tree(4, &outer);
      int leaves = 0, inner = 0;
#pragma omp taskgroup
      {
        tree(6, &leaves);
#pragma omp task shared(inner, leaves)
        {
#pragma omp taskgroup
          tree(3, &inner);
          CHECK_EQUAL(inner, 8);
          tree(2, &leaves);
        }
      }
      CHECK_EQUAL(leaves, 64 + 4);
      CHECK_EQUAL(inner, 8);
    }
    CHECK_EQUAL(outer, 16);
  }
  // By every thread, and by one alone.
  int all = 0, threads = 0;
#pragma omp parallel
  {
    int mine = 0;
#pragma omp taskgroup
    tree(5, &mine);
    CHECK_EQUAL(mine, 32);
    raise_by_one(&all);
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK_EQUAL(all, threads);
  int alone = 0;
#pragma omp taskgroup
  tree(3, &alone);
  CHECK_EQUAL(alone, 8);
  return finish();
}
