/* A library, or a program, that both calls OpenMP's routines and has regions: plugin_sum as in plugin.c, from what the
 * routines say. */
#include <omp.h>
#include <stdio.h>

int plugin_sum(int n) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(4)
  {
    const int threads = omp_get_num_threads();
    for (int i = 1 + omp_get_thread_num(); i <= n; i += threads)
      sum += i;
  }
  return sum;
}

#ifdef PROGRAM
int main(void) {
  printf("%d\n", plugin_sum(100));
  return 0;
}
#endif
