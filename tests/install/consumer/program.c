// Prints the runtime that answers, then the sum that a team of three made.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  sum += omp_get_thread_num() + 1;
  Dl_info owner;
  if (!dladdr(dlsym(RTLD_DEFAULT, "omp_get_num_threads"), &owner))
    return 1;
  printf("%s\n%d\n", owner.dli_fname, sum);
  return 0;
}
