// cancel taskgroup: what tasks have copied is destroyed, whether or not they were executed.
// run: OMP_CANCELLATION=true OMP_NUM_THREADS=4
#include "check.h"

static int alive;

struct Object {
  Object() { raise_by_one(&alive); }
  Object(const Object&) { raise_by_one(&alive); }
  ~Object() { __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED); }
  Object& operator=(const Object&) = delete;
  int value = 1;
};

int main() {
  for (int round = 0; round < 20; round++) {
    Object object;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(object, i)
      {
        Object inner;
        CHECK_EQUAL(object.value + inner.value, 2);
#pragma omp cancel taskgroup if (i > 5)
      }
    }
    CHECK_EQUAL(alive, 1);
  }
  CHECK_EQUAL(alive, 0);
  return finish();
}
