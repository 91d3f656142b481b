// run: OMP_THREAD_LIMIT=7 OMP_MAX_ACTIVE_LEVELS=4
// run: OMP_THREAD_LIMIT=4 OMP_MAX_ACTIVE_LEVELS=4
// OMP_THREAD_LIMIT bounds the threads of a contention group, those of nested regions together; what regions have given
// back others get again.
#include "check.h"

#include <omp.h>
#include <unistd.h>

static int now, most;

// The innermost regions: whoever is not in one meets one.
static void count_threads(void) {
  const int threads = __atomic_add_fetch(&now, 1, __ATOMIC_SEQ_CST);
  int known = __atomic_load_n(&most, __ATOMIC_RELAXED);
  while (threads > known &&
         !__atomic_compare_exchange_n(&most, &known, threads, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  usleep(2000); // so that they are there at a time
  __atomic_fetch_sub(&now, 1, __ATOMIC_SEQ_CST);
}

static int size_of(int wanted) {
  int size = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

int main(void) {
  const int limit = omp_get_thread_limit();
  omp_set_dynamic(0);
  for (int round = 0; round < 5; round++) {
    CHECK_EQUAL(size_of(2), 2);
    CHECK_EQUAL(size_of(limit), limit);
    CHECK_EQUAL(size_of(limit + 9), limit);

    now = most = 0;
    int teams = 0;
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(5)
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
      raise_by_one(&teams);
      count_threads();
    }
    CHECK(most <= limit);
    CHECK(teams >= 3);

    // What one inner region has given back the next one gets: a team of two leaves the rest to the first, or to each
    // its part.
    int largest = 0, smallest = limit;
#pragma omp parallel num_threads(2)
    {
      for (int turn = 0; turn < 4; turn++) {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
          const int size = size_of(limit);
          largest = size > largest ? size : largest;
          smallest = size < smallest ? size : smallest;
        }
      }
    }
    CHECK_EQUAL(largest, smallest);
    CHECK(largest >= 2 && largest <= limit - 1);
  }
  return finish();
}
