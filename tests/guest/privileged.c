/* A program that may be given rights its caller does not have. Prints what of it is to be seen: how many processes its
 * threads are in. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(void) {
  int lowest = 1 << 30, highest = 0;
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) reduction(min : lowest) reduction(max : highest)
  for (int i = 1; i <= 1000; ++i) {
    const int process = (int)getpid();
    sum += i;
    lowest = process < lowest ? process : lowest;
    highest = process > highest ? process : highest;
  }
  const char* preload = getenv("LD_PRELOAD");
  const char* tunables = getenv("GLIBC_TUNABLES");
  printf("%s, %s, %s%s%s%s\n", getauxval(AT_SECURE) ? "privileged" : "ordinary", sum == 500500 ? "right" : "wrong",
         lowest == highest ? "one process" : "several processes", preload ? ", preload" : "",
         tunables ? ", tunables" : "", getenv("HETMP_DSM_PLAN") ? ", plan" : "");
  return 0;
}
