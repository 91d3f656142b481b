// Target tasks: they are executed by others than the thread that meets them, which goes on; whatever waits for tasks
// waits for them.
// clang only: gcc executes a target region on the host at once
// run: OMP_NUM_THREADS=4
// run: OMP_NUM_THREADS=1
// run with hetmp: LIBOMP_NUM_HIDDEN_HELPER_THREADS=1
// run: LIBOMP_USE_HIDDEN_HELPER_TASK=0
#include "check.h"

#include <omp.h>
#include <stdlib.h>

enum { tasks = 20, most_helpers = 8 };

static int threads_of_process(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  int threads = 0;
  while (status && fgets(line, sizeof line, status) && sscanf(line, "Threads: %d", &threads) != 1)
    ;
  if (status)
    fclose(status);
  return threads;
}

static int counts(void) {
  int results[tasks] = {0}, sum = 0;
  for (int i = 0; i < tasks; i++) {
    int* mine = &results[i];
#pragma omp target map(tofrom : mine [0:1]) nowait
    *mine = i;
  }
#pragma omp taskwait
  for (int i = 0; i < tasks; i++)
    sum += results[i];
  return sum;
}

static void chains(void) {
#pragma omp parallel
  {
    int value = 1;
    for (int link = 0; link < 5; link++) {
#pragma omp target map(tofrom : value) depend(inout : value) nowait
      value = value * 2;
#pragma omp task shared(value) depend(inout : value)
      value = value + 1;
    }
#pragma omp taskwait
    CHECK_EQUAL(value, 63);
  }
}

static void ends_of_regions(void) {
  int done = 0;
#pragma omp parallel num_threads(3) shared(done)
#pragma omp target map(tofrom : done) nowait
  raise_by_one(&done);
  CHECK_EQUAL(done, 3);
#pragma omp taskgroup
  {
#pragma omp target map(tofrom : done) nowait
    raise_by_one(&done);
  }
  CHECK_EQUAL(done, 4);
}

/// Nobody has threads that execute target tasks before there is one.
static void helpers_come_late(void) {
  omp_get_max_threads();
  CHECK_EQUAL(threads_of_process(), 1);
  counts();
  CHECK(threads_of_process() <= 1 + most_helpers);
}

int main(void) {
  if (!getenv("HETMP_NODES")) // several nodes have threads of their own
    helpers_come_late();
  for (int round = 0; round < 10; round++) {
    CHECK_EQUAL(counts(), tasks * (tasks - 1) / 2);
    chains();
    ends_of_regions();
  }
  return finish();
}
