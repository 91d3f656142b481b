// task: every task is executed once, with its copies of variables, by a thread of its team; barriers and taskwait wait.
#include "check.h"

#include <omp.h>

// OpenMP 5.2: not in the headers of older compilers, nor in the runtimes that the programs are linked with.
__attribute__((weak)) int omp_in_explicit_task(void);

static int is_explicit(int expected) { return !omp_in_explicit_task || omp_in_explicit_task() == expected; }

enum { rounds = 20, tasks = 100 };
static int executed[rounds][tasks];

static long fibonacci(int n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a) if (n > 5)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tree(int depth, int* leaves) {
  if (depth == 0) {
    raise_by_one(leaves);
    return;
  }
  for (int i = 0; i < 3; i++)
#pragma omp task
    tree(depth - 1, leaves);
}

int main(void) {
  // Made by one thread; the barrier of single waits for all.
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
#pragma omp single
    for (int i = 0; i < tasks; i++)
#pragma omp task firstprivate(i, round)
    {
      CHECK(is_explicit(1));
      CHECK(omp_get_thread_num() < omp_get_num_threads());
      raise_by_one(&executed[round][i]);
    }
    CHECK(is_explicit(0));
    for (int i = 0; i < tasks; i++)
      CHECK_EQUAL(executed[round][i], 1);
  }

  // Made by all threads, of one thread alone, by nobody but the first one at the very end of the region.
  int by_all = 0, by_one = 0, at_end = 0, team = 0;
#pragma omp parallel
  {
#pragma omp single
    team = omp_get_num_threads();
    for (int i = 0; i < tasks; i++)
#pragma omp task
      raise_by_one(&by_all);
#pragma omp barrier
    CHECK_EQUAL(by_all, tasks * team);
#pragma omp master
    for (int i = 0; i < tasks; i++)
#pragma omp task
      raise_by_one(&at_end);
  }
  CHECK_EQUAL(at_end, tasks);
  for (int i = 0; i < tasks; i++)
#pragma omp task shared(by_one)
    raise_by_one(&by_one);
#pragma omp taskwait
  CHECK_EQUAL(by_one, tasks);

  // Tasks that make tasks: the barrier waits for all, also where nobody waits for the children.
  int leaves = 0;
#pragma omp parallel
#pragma omp single
  tree(7, &leaves);
  CHECK_EQUAL(leaves, 2187);

  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(20);
  CHECK_EQUAL(result, 6765);
  CHECK_EQUAL(fibonacci(10), 55);

  // The order that if(0), final and taskwait promise.
#pragma omp parallel
#pragma omp single
  {
    int value = 1;
#pragma omp task if (0) shared(value)
    {
      CHECK_EQUAL(value, 1);
      value = 2;
#pragma omp task shared(value) if (0)
      value++;
    }
    CHECK_EQUAL(value, 3);
#pragma omp task final(1) shared(value)
    {
      CHECK(omp_in_final());
#pragma omp task shared(value)
      {
        CHECK(omp_in_final());
        value = 10;
      }
      CHECK_EQUAL(value, 10);
    }
#pragma omp taskwait
    CHECK_EQUAL(value, 10);
    CHECK(!omp_in_final());
  }

  // A task's settings are its own.
#pragma omp parallel
#pragma omp single
  {
    omp_set_num_threads(3);
    for (int i = 0; i < 10; i++)
#pragma omp task
    {
      CHECK_EQUAL(omp_get_max_threads(), 3);
      omp_set_num_threads(2);
      CHECK_EQUAL(omp_get_max_threads(), 2);
    }
#pragma omp taskwait
    CHECK_EQUAL(omp_get_max_threads(), 3);
  }

  // A region inside a task.
  int regions = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; i++)
#pragma omp task
  {
    int threads = 0, inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
#pragma omp task shared(inner)
      raise_by_one(&inner);
      threads += 1;
    }
    CHECK(threads >= 1);
    CHECK_EQUAL(inner, threads);
    CHECK(is_explicit(1));
    raise_by_one(&regions);
  }
  CHECK_EQUAL(regions, 8);
  return finish();
}
