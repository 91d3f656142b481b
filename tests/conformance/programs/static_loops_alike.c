// run: OMP_SCHEDULE=static
// run with hetmp: OMP_SCHEDULE=static HETMP_LOOPS=all
// run with hetmp: OMP_SCHEDULE=static HETMP_LOOPS=all HETMP_CSR=1,3,2,1
// run with hetmp: OMP_SCHEDULE=static HETMP_LOOPS=runtime HETMP_CSR=1,3,2,1
// Static loops of one region with as many iterations and the same chunk, or none, give each thread the same iterations
// (OpenMP 5.1, section 2.11.4): with a barrier between them or not, whatever they do, wherever they stand, and whether
// the schedule is the source's or the environment's. Only the next region may divide otherwise.
#include "check.h"

#include <omp.h>

enum { trips = 6007, others = 4001, rounds = 24, page = 4096 };

static int owner[trips], owner_of_others[others];
static volatile double hot[page / sizeof(double)] __attribute__((aligned(page))); // wanted by all threads

static double compute(int i) {
  double sum = i;
  for (int k = 1; k < 60; k++)
    sum += 1.0 / (sum + k);
  return sum;
}

static void check_owner(int i, const char* where) {
  if (owner[i] != omp_get_thread_num() && __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED) < 5)
    fprintf(stderr, "%s: iteration %d was thread %d's, is thread %d's\n", where, i, owner[i], omp_get_thread_num());
}

static void elsewhere(void) {
#pragma omp for schedule(static) nowait
  for (int i = trips; i > 0; i--)
    check_owner(trips - i, "a loop in a function, downwards");
}

static void one_that_computes_first(double* results) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++) {
      owner[i] = omp_get_thread_num();
      results[i] = compute(i);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++) {
      check_owner(i, "behind a barrier");
      if (i % 16 == 0)
        hot[i % (page / sizeof(double))] += 1;
    }
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < trips; i++)
      check_owner(i, "schedule(runtime)");
    elsewhere();
#pragma omp for schedule(static) nowait
    for (int i = 0; i < others; i++)
      owner_of_others[i] = omp_get_thread_num();
#pragma omp for schedule(static) nowait
    for (int i = 0; i < trips; i++)
      check_owner(i, "behind another loop");
#pragma omp for schedule(static)
    for (int i = 0; i < others; i++)
      CHECK_EQUAL(owner_of_others[i], omp_get_thread_num());
  }
}

static void one_that_shares_a_page_first(double* results) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++) {
      owner[i] = omp_get_thread_num();
      if (i % 16 == 0)
        hot[i % (page / sizeof(double))] += 1;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++) {
      check_owner(i, "one that computes");
      results[i] = compute(i);
    }
  }
}

static void the_environments_first(void) {
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < trips; i++)
      owner[i] = omp_get_thread_num();
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++)
      check_owner(i, "behind schedule(runtime)");
  }
}

static void in_order(void) {
  int last = -1, disorder = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 200; i++)
      owner[i] = omp_get_thread_num();
#pragma omp for schedule(static) ordered
    for (int i = 0; i < 200; i++) {
      check_owner(i, "ordered");
#pragma omp ordered
      {
        disorder += i != last + 1;
        last = i;
      }
    }
  }
  CHECK_EQUAL(last, 199);
  CHECK_EQUAL(disorder, 0);
}

// As a program does whose matrix shrinks: few iterations are met twice.
static void many_lengths(void) {
#pragma omp parallel
  for (int length = 1; length < 100; length++) {
#pragma omp for schedule(static)
    for (int i = 0; i < length; i++)
      owner[i] = omp_get_thread_num();
#pragma omp for schedule(static)
    for (int i = 0; i < length; i++)
      check_owner(i, "one of many lengths");
  }
}

static void with_chunks(int chunk) {
  omp_set_schedule(omp_sched_static, chunk);
#pragma omp parallel
  {
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < trips; i++)
      owner[i] = omp_get_thread_num();
#pragma omp for schedule(runtime)
    for (int i = 0; i < trips; i++)
      check_owner(i, "schedule(runtime) with a chunk");
#pragma omp for schedule(static, chunk)
    for (int i = 0; i < trips; i++)
      check_owner(i, "with a chunk, behind a barrier");
  }
  omp_set_schedule(omp_sched_static, 0);
}

int main(void) {
  static double results[trips];
  for (int round = 0; round < rounds; round++) {
    one_that_computes_first(results);
    one_that_shares_a_page_first(results);
    the_environments_first();
    in_order();
  }
  many_lengths();
  with_chunks(1);
  with_chunks(7);
  return finish();
}
