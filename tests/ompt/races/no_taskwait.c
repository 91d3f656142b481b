// A task's result is read: at once; behind a taskwait.
#include "meet.h"
int main(void) {
  int x = 0, done = 0, result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(x, done)
    {
      x = 1;
      tell(&done);
    }
    wait_for(&done, 1); // the other thread has executed it
#ifndef RACE
#pragma omp taskwait
#endif
    result = x;
  }
  return result < 0;
}
