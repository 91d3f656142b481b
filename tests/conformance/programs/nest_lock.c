// Nestable locks: the holder may set them again; omp_test_nest_lock returns the depth.
// clang only: omp_init_nest_lock_with_hint, which libgomp does not have
#include "check.h"

#include <omp.h>

int main(void) {
  omp_nest_lock_t lock;
  int total = 0, inside = 0, refused = 0;
  omp_init_nest_lock(&lock);
  CHECK_EQUAL(omp_test_nest_lock(&lock), 1);
  CHECK_EQUAL(omp_test_nest_lock(&lock), 2);
  omp_unset_nest_lock(&lock);
#pragma omp parallel num_threads(4) // thread 0 still holds it once
  if (omp_get_thread_num() != 0 && omp_test_nest_lock(&lock) == 0)
    raise_by_one(&refused);
  CHECK_EQUAL(refused, 3);
  omp_unset_nest_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 50; round++) {
    omp_set_nest_lock(&lock);
    CHECK_EQUAL(raise_by_one(&inside), 0);
    omp_set_nest_lock(&lock);
    CHECK_EQUAL(omp_test_nest_lock(&lock), 3);
    total++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    omp_unset_nest_lock(&lock);
  }
  CHECK_EQUAL(total, 200);
  omp_destroy_nest_lock(&lock);
  omp_init_nest_lock_with_hint(&lock, omp_sync_hint_contended);
  CHECK_EQUAL(omp_test_nest_lock(&lock), 1);
  omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
  return finish();
}
