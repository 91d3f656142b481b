// num_threads, omp_set_num_threads and the default: each thread runs the region once, under a number of its
// own.
#include "check.h"

#include <omp.h>
#include <string.h>

static int seen[16], sizes[16];

static void check_team(int expected) {
  for (int i = 0; i < 16; i++) {
    CHECK_EQUAL(seen[i], i < expected);
    CHECK_EQUAL(sizes[i], i < expected ? expected : 0);
  }
  memset(seen, 0, sizeof seen);
  memset(sizes, 0, sizeof sizes);
}

static void note_thread(void) {
  const int me = omp_get_thread_num();
  raise_by_one(&seen[me]);
  sizes[me] = omp_get_num_threads();
}

int main(void) {
  CHECK_EQUAL(omp_get_num_threads(), 1);
  CHECK_EQUAL(omp_get_thread_num(), 0);
#pragma omp parallel
  note_thread();
  check_team(4); // OMP_NUM_THREADS
  for (int wanted = 1; wanted <= 9; wanted++) {
#pragma omp parallel num_threads(wanted)
    note_thread();
    check_team(wanted);
  }
  omp_set_num_threads(3);
  CHECK_EQUAL(omp_get_max_threads(), 3);
#pragma omp parallel
  note_thread();
  check_team(3);
#pragma omp parallel num_threads(5)
  note_thread();
  check_team(5);
  CHECK_EQUAL(omp_get_max_threads(), 3);
  return finish();
}
