// Two sections write one variable; one each.
#include "meet.h"
int main(void) {
  int x[2] = {0, 0}, here = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x[0]++;
      meet(&here, 2);
    }
#pragma omp section
    {
#ifdef RACE
      x[0]++;
#else
      x[1]++;
#endif
      meet(&here, 2);
    }
  }
  return x[0] + x[1] == 0;
}
