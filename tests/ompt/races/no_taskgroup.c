// A grandchild's result is read: behind a taskwait, which does not wait for it; behind a taskgroup.
#include "meet.h"
int main(void) {
  int x = 0, done = 0, result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#ifdef RACE
    {
#else
#pragma omp taskgroup
    {
#endif
#pragma omp task shared(x, done)
      {
#pragma omp task shared(x, done)
        {
          x = 1;
          tell(&done);
        }
      }
      wait_for(&done, 1);
    }
#ifdef RACE
#pragma omp taskwait
#endif
    result = x;
  }
  return result < 0;
}
