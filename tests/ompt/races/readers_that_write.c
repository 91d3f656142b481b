// Tasks say that they read, and write; they say that they write.
#include "meet.h"
int main(void) {
  int x = 0, here = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 2; i++) {
#ifdef RACE
#pragma omp task depend(in : x) shared(x, here)
    {
      x++;
      meet(&here, 2);
    }
#else
#pragma omp task depend(inout : x) shared(x, here)
    {
      x++;
      tell(&here);
    }
#endif
  }
  return x == 0;
}
