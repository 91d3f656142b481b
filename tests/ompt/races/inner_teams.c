// Teams inside of each other: all threads write one variable; one each.
#include <omp.h>
int main(void) {
  int x[2][2] = {{0, 0}, {0, 0}};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
#ifdef RACE
      x[0][0] += outer + 1;
#else
      x[outer][omp_get_thread_num()] += outer + 1;
#endif
    }
  }
  return x[0][0] == 0;
}
