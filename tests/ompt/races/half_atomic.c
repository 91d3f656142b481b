// One thread updates atomically, the other plainly; both atomically.
#include <omp.h>
int main(void) {
  int x = 0;
#pragma omp parallel num_threads(2) shared(x)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      x++;
    } else {
#ifndef RACE
#pragma omp atomic
#endif
      x++;
    }
  }
  return x == 0;
}
