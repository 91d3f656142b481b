// For a debugger: `in_region` is called by each thread of a team, once; standard output tells the sum of their numbers.
#include <omp.h>
#include <stdio.h>

static int calls[64];

__attribute__((noinline)) void in_region(int thread) { calls[thread] += thread; }

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4)
  in_region(omp_get_thread_num());
  for (int i = 0; i < 64; i++)
    sum += calls[i];
  printf("sum %d\n", sum);
  return 0;
}
