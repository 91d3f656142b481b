// A nestable lock belongs to the task that has set it (OpenMP 5.1, section 3.9), not to the thread: what else the
// thread executes meanwhile may not set it. hetmp alone: for libomp it is the thread.
#include "check.h"

#include <omp.h>

static void own_tasks(omp_nest_lock_t* lock) {
  int refused = 0, counts = 0;
  omp_set_nest_lock(lock);
#pragma omp task if (0) shared(refused)
  raise_by_one(omp_test_nest_lock(lock) == 0 ? &refused : &counts);
#pragma omp task shared(refused, counts)
  raise_by_one(omp_test_nest_lock(lock) == 0 ? &refused : &counts);
#pragma omp taskwait
  CHECK_EQUAL(refused, 2);
  CHECK_EQUAL(counts, 0);
  CHECK_EQUAL(omp_test_nest_lock(lock), 2); // still its own
  omp_unset_nest_lock(lock);
  omp_unset_nest_lock(lock);

#pragma omp task if (0)
  {
    CHECK_EQUAL(omp_test_nest_lock(lock), 1);
    CHECK_EQUAL(omp_test_nest_lock(lock), 2);
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
  }
  CHECK_EQUAL(omp_test_nest_lock(lock), 1); // the task has given it back
  omp_unset_nest_lock(lock);
}

// The thread that meets a region executes a task of that region in it.
static void regions(omp_nest_lock_t* lock, int threads) {
  int refused = 0, members = 0;
  omp_set_nest_lock(lock);
#pragma omp parallel num_threads(threads)
  {
    raise_by_one(&members);
    if (omp_test_nest_lock(lock) == 0)
      raise_by_one(&refused);
  }
  CHECK_EQUAL(refused, members);
  CHECK_EQUAL(omp_test_nest_lock(lock), 2);
  omp_unset_nest_lock(lock);
  omp_unset_nest_lock(lock);
}

int main(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  for (int round = 0; round < 10; round++) {
    own_tasks(&lock);
    regions(&lock, 1);
    regions(&lock, 4);
#pragma omp parallel
#pragma omp critical
    own_tasks(&lock);

    int inside = 0, total = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 200; i++)
#pragma omp task shared(inside, total)
    {
      omp_set_nest_lock(&lock);
      CHECK_EQUAL(omp_test_nest_lock(&lock), 2);
      CHECK_EQUAL(raise_by_one(&inside), 0);
      total++;
      __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
    CHECK_EQUAL(total, 200);
  }
  omp_destroy_nest_lock(&lock);
  return finish();
}
