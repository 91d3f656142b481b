/* What a program that is told to bind its threads sees: how many it has, and where the first one may run. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
  int threads = 0;
  cpu_set_t first;
#pragma omp parallel
  {
#pragma omp single nowait
    threads = omp_get_num_threads();
#pragma omp master
    sched_getaffinity(0, sizeof first, &first);
  }
  printf("%d threads for %d CPUs, %d places, the first thread bound to %d\n", threads, omp_get_num_procs(),
         omp_get_num_places(), CPU_COUNT(&first));
}
