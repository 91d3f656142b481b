// Simple locks: exclusion, test, hints, many locks at once, locks in allocated memory, a lock set by the
// initial thread.
// clang only: omp_init_lock_with_hint, which libgomp does not have
#include "check.h"

#include <omp.h>
#include <stdlib.h>

enum { locks = 16, rounds = 64 };

static void check_exclusion(void) {
  omp_lock_t lock;
  int inside = 0, total = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < rounds; i++) {
    omp_set_lock(&lock);
    CHECK_EQUAL(raise_by_one(&inside), 0);
    total++;
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    omp_unset_lock(&lock);
  }
  CHECK_EQUAL(total, 4 * rounds);
  omp_destroy_lock(&lock);
}

static void check_test(void) {
  omp_lock_t lock;
  int taken = 0, refused = 0;
  omp_init_lock_with_hint(&lock, omp_sync_hint_uncontended);
  omp_set_lock(&lock); // held by the initial thread, which is thread 0 of the team
#pragma omp parallel num_threads(4)
  {
    if (omp_get_thread_num() != 0 && !omp_test_lock(&lock))
      raise_by_one(&refused);
#pragma omp barrier
#pragma omp master
    omp_unset_lock(&lock);
#pragma omp barrier
    if (omp_test_lock(&lock))
      raise_by_one(&taken);
  }
  CHECK_EQUAL(refused, 3);
  CHECK_EQUAL(taken, 1);
  omp_destroy_lock(&lock);
}

static void check_many(void) {
  struct Cell {
    omp_lock_t lock;
    int value;
  }* cells = malloc(locks * sizeof *cells);
  for (int i = 0; i < locks; i++) {
    omp_init_lock(&cells[i].lock);
    cells[i].value = 0;
  }
#pragma omp parallel for num_threads(4) schedule(dynamic, 4)
  for (int i = 0; i < locks * rounds; i++) {
    struct Cell* cell = &cells[i % locks];
    while (!omp_test_lock(&cell->lock))
      ;
    cell->value++;
    omp_unset_lock(&cell->lock);
  }
  for (int i = 0; i < locks; i++) {
    CHECK_EQUAL(cells[i].value, rounds);
    omp_destroy_lock(&cells[i].lock);
  }
  free(cells);
}

int main(void) {
  check_exclusion();
  check_test();
  check_many();
  return finish();
}
