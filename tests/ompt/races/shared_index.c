// A task uses its loop's variable: shared; as it was.
#include "meet.h"
int main(void) {
  int done = 0, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    int i = 0;
#ifdef RACE
#pragma omp task shared(i, done, sum)
#else
#pragma omp task firstprivate(i) shared(done, sum)
#endif
    {
      sum += i;
      tell(&done);
    }
    wait_for(&done, 1);
    i++;
#pragma omp taskwait
    sum += i;
  }
  return sum == 0;
}
