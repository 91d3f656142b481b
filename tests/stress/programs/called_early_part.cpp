// A shared object whose constructor uses OpenMP.
#include <omp.h>

namespace {

long sum = 0;
int threads = 0;
omp_lock_t lock;

__attribute__((constructor)) void use_openmp() {
  threads = omp_get_max_threads();
  omp_init_lock(&lock);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i)
    sum += i;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task
    {
      omp_set_lock(&lock);
      ++sum;
      omp_unset_lock(&lock);
    }
  }
}

} // namespace

extern "C" long early_sum() { return sum; }
extern "C" int early_threads() { return threads; }
