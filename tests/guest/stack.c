// What a program sees of its stacks and of the limits that they have: the same on several nodes as without any runtime.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

static int sum(void) {
  int total = 0;
#pragma omp parallel num_threads(4) reduction(+ : total)
  total += omp_get_thread_num() + 1;
  printf("sum %d\n", total);
  return total == 10 ? 0 : 1;
}

/// By however many threads there can be, once all nodes have had the time to begin, or to fail.
static int loop(void) {
  int total = 0;
  usleep(300000);
#pragma omp parallel for num_threads(4) reduction(+ : total)
  for (int i = 0; i < 1000; ++i)
    total += i;
  printf("loop %d\n", total);
  return total == 499500 ? 0 : 1;
}

/// The limit and the personality, as this process has them and as a child of it does; the size that new threads get.
static int limits(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  pthread_attr_t attributes;
  pthread_getattr_default_np(&attributes);
  size_t size = 0;
  pthread_attr_getstacksize(&attributes, &size);
  printf("%llu %llu %#x %zu\n", (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max,
         (unsigned)personality(0xffffffff), size);
  fflush(stdout);
  return system("ulimit -s; ulimit -Hs; cat /proc/self/personality") == 0 ? sum() : 1;
}

/// Uses so many MiB of main's stack at once, a little of each; another thread reads what is at its far end.
static int deep(size_t bytes) {
  volatile char* room = __builtin_alloca(bytes);
  for (size_t at = bytes; at >= 4096; at -= 4096)
    if (at % (1 << 20) == 0)
      room[at - 4096] = 7;
  int seen = 0;
#pragma omp parallel num_threads(4) reduction(+ : seen)
  seen += room[(1 << 20) - 4096];
  printf("seen %d\n", seen);
  return seen == 28 ? 0 : 1;
}

__attribute__((noinline)) static long endless(volatile char* before, long depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth < 0 ? frame[0] + before[0] : endless(frame, depth + 1) + frame[0];
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  const long number = count > 2 ? atol(words[2]) : 0;
  if (strcmp(what, "sum") == 0)
    return sum();
  if (strcmp(what, "loop") == 0)
    return loop();
  if (strcmp(what, "limits") == 0)
    return limits();
  if (strcmp(what, "deep") == 0)
    return deep((size_t)number << 20);
  if (strcmp(what, "overflow") == 0)
    return sum() || endless((char*)"", number) == 0;
  fprintf(stderr, "sum | loop | limits | deep MIB | overflow 0\n");
  return 2;
}
