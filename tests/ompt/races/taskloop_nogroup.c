// What a taskloop has written is read: with nogroup at once; behind its taskgroup.
#include "meet.h"
int main(void) {
  int x[2] = {0, 0}, here = 0, result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#ifdef RACE
#pragma omp taskloop num_tasks(2) nogroup shared(x, here)
    for (int i = 0; i < 2; i++) {
      x[i] = 1;
      tell(&here);
    }
    wait_for(&here, 2);
#else
#pragma omp taskloop num_tasks(2) shared(x, here)
    for (int i = 0; i < 2; i++)
      x[i] = 1;
#endif
    result = x[0] + x[1];
  }
  return result < 0;
}
