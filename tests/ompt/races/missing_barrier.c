// One thread writes what the other reads: at once; behind a barrier.
#include <omp.h>
int main(void) {
  int x = 0, sum = 0;
#pragma omp parallel num_threads(2) shared(x) reduction(+ : sum)
  {
    if (omp_get_thread_num() == 0)
      x = 1;
#ifndef RACE
#pragma omp barrier
#endif
    sum += x;
  }
  return sum < 0;
}
