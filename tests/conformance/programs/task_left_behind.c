// Whoever generates tasks need not come to a place where it could execute them: others do.
#include "check.h"

#include <omp.h>
#include <unistd.h>

enum { threads = 2, most = 12 };

static void wait_until(const int* counter, int value) {
  int seen;
  do {
    usleep(1000);
#pragma omp atomic read
    seen = *counter;
  } while (seen < value);
}

/* `many` tasks, with nothing to do for the other thread but to wait at the barrier, sooner or later. */
static void independent(int many, int late) {
  int done = 0;
#pragma omp parallel num_threads(threads) shared(done)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < many; i++) {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
    wait_until(&done, many);
  } else if (late) {
    usleep(30000);
  }
  CHECK_EQUAL(done, many);
}

/* The other thread waits at a barrier before the region's end: it can be given tasks at any time. */
static void before_a_barrier(int early) {
  int done = 0;
#pragma omp parallel num_threads(threads) shared(done)
  {
    if (omp_get_thread_num() == 0) {
      if (early)
        usleep(20000);
      for (int i = 0; i < most; i++) {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
      }
      wait_until(&done, most);
    }
#pragma omp barrier
  }
  CHECK_EQUAL(done, most);
}

static void chain(void) {
  int done = 0, wrong = 0;
#pragma omp parallel num_threads(threads) shared(done, wrong)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < most; i++) {
#pragma omp task depend(inout : done) shared(done, wrong)
      {
        int before;
#pragma omp atomic capture
        before = done++;
        if (before != i)
          wrong = 1;
      }
    }
    wait_until(&done, most);
  }
  CHECK_EQUAL(wrong, 0);
}

/* Kinds that no other node takes: a thread alone on its node executes them at once. */
static void of_all_kinds(void) {
  int done = 0;
#pragma omp parallel num_threads(threads) shared(done)
  if (omp_get_thread_num() == 0) {
#pragma omp task shared(done) untied
#pragma omp atomic
    done++;
#pragma omp task shared(done) priority(3)
#pragma omp atomic
    done++;
#pragma omp task shared(done) final(1)
#pragma omp atomic
    done++;
    wait_until(&done, 3);
  }
  CHECK_EQUAL(done, 3);
}

/* A task that lasts until those generated before it have been executed. */
static void behind_a_long_one(void) {
  int done = 0;
#pragma omp parallel num_threads(threads) shared(done)
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task shared(done)
#pragma omp atomic
      done++;
    }
#pragma omp task shared(done)
    wait_until(&done, 4);
  }
  CHECK_EQUAL(done, 4);
}

int main(void) {
  for (int many = 1; many <= most; many += 3)
    for (int late = 0; late < 2; late++)
      independent(many, late);
  for (int early = 0; early < 2; early++)
    before_a_barrier(early);
  chain();
  of_all_kinds();
  behind_a_long_one();
  return finish();
}
