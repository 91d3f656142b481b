// clang-format off
// It loses count of braces behind "omp section".
// run: OMP_CANCELLATION=true
// run: OMP_CANCELLATION=true OMP_NUM_THREADS=7
// A `cancel` construct ends one instance of a loop or of sections: not the region around it, not the loops before and behind it.
// hetmp alone: libomp leaves the region at the end of a cancelled loop where something cancels that, and libgomp loses the loop before.
#include "check.h"

#include <omp.h>
#include <stdbool.h>

enum { trips = 400, rounds = 5 };

static bool never; // as no compiler knows

static void loops_of_each_schedule(void) {
  int first = 0, second = 0, third = 0, left = 0, behind = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 0; round < rounds; round++) {
#pragma omp for schedule(static)
      for (int i = 0; i < trips; i++) {
        raise_by_one(&left);
#pragma omp cancel for
      }
#pragma omp for schedule(static)
      for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
        raise_by_one(&first);
#pragma omp cancel for if (never)
      }
#pragma omp for schedule(dynamic)
      for (int i = 0; i < trips; i++) {
        raise_by_one(&left);
#pragma omp cancel for
      }
#pragma omp for schedule(guided)
      for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
        raise_by_one(&second);
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancel sections
          raise_by_one(&left);
        }
#pragma omp section
        {
#pragma omp cancel sections
          raise_by_one(&left);
        }
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancellation point sections
          raise_by_one(&third);
        }
#pragma omp section
        {
#pragma omp cancellation point sections
          raise_by_one(&third);
        }
      }
#pragma omp for schedule(static, 3)
      for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
        raise_by_one(&third);
      }
    }
    raise_by_one(&behind);
  }
  CHECK(left <= 2 * rounds * threads); // each thread one iteration at most
  CHECK_EQUAL(first, rounds * trips);
  CHECK_EQUAL(second, rounds * trips);
  CHECK_EQUAL(third, rounds * (trips + 2));
  CHECK_EQUAL(behind, threads);
}

// Its barriers are cancellation points of the region.
static void region_that_might_be_cancelled(void) {
  int begun = 0, behind = 0, whole = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp master
    threads = omp_get_num_threads();
#pragma omp cancel parallel if (never)
    for (int round = 0; round < rounds; round++) {
#pragma omp for
      for (int i = 0; i < trips; i++) {
#pragma omp cancel for
        raise_by_one(&begun);
      }
      raise_by_one(&behind);
#pragma omp for schedule(dynamic, 5)
      for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
        raise_by_one(&whole);
#pragma omp cancel for if (i == trips - 1)
      }
#pragma omp barrier
      raise_by_one(&behind);
    }
  }
  CHECK_EQUAL(begun, 0);
  CHECK_EQUAL(behind, 2 * rounds * threads);
  CHECK(whole > 0 && whole <= rounds * trips);
}

// One thread is still in a loop without a barrier when the first one cancels the loop behind it.
static void loop_before_a_cancelled_one(void) {
  int inside = 0, cancelled = 0, done = 0;
#pragma omp parallel
  {
    const bool first = omp_get_thread_num() == 0;
    if (first)
      while (__atomic_load_n(&inside, __ATOMIC_ACQUIRE) == 0) {
      }
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < trips; i++) {
      __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
      while (!first && __atomic_load_n(&cancelled, __ATOMIC_ACQUIRE) == 0) {
      }
#ifndef __clang__ // which allows none where there is no barrier
#pragma omp cancellation point for
#endif
      raise_by_one(&done);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < trips; i++) {
      if (first)
        __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
#pragma omp cancel for if (first)
#pragma omp cancellation point for
    }
  }
  CHECK_EQUAL(done, trips);
}

// The region's end is no place to wait for threads that leave it early, nor are loops in between.
static void region_left_by_one_thread(void) {
  int begun = 0, after = 0, whole = 0;
#pragma omp parallel
  {
    raise_by_one(&begun);
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      raise_by_one(&after);
    }
  }
  CHECK(begun > 0);
  CHECK_EQUAL(after, 0);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
      raise_by_one(&whole);
    }
#pragma omp cancellation point parallel
    raise_by_one(&after);
  }
  CHECK_EQUAL(whole, trips);
  CHECK(after > 0);
}

static void nested_regions(void) {
  int inner = 0, outer = 0, threads = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
      {
#pragma omp for
        for (int k = 0; k < trips; k++) {
#pragma omp cancel for
          raise_by_one(&inner);
        }
        raise_by_one(&threads);
      }
#pragma omp cancellation point for
      raise_by_one(&outer);
    }
  }
  CHECK_EQUAL(inner, 0);
  CHECK_EQUAL(outer, 20);
  CHECK_EQUAL(threads, 40);
}

static int some, all;

// Some threads leave the loop, others come to its reduction.
static void reductions(void) {
  int whole = 0, behind = 0, threads = 0;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
#pragma omp single
    some = all = 0;
#pragma omp for reduction(+ : some)
    for (int i = 0; i < trips; i++) {
      some++;
#pragma omp cancel for if (i == trips - 1)
    }
#pragma omp for reduction(+ : all)
    for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
      all++;
#pragma omp cancel for if (never)
    }
    raise_by_one(&behind);
#pragma omp barrier
#pragma omp master
    {
      whole += all == trips && some <= trips;
      threads += omp_get_num_threads();
    }
#pragma omp barrier
  }
  CHECK_EQUAL(whole, rounds);
  CHECK_EQUAL(behind, threads);
}

static void orphaned(int* begun, int* whole) {
#pragma omp for
  for (int i = 0; i < trips; i++) {
#pragma omp cancel for
    raise_by_one(begun);
  }
#pragma omp for
  for (int i = 0; i < trips; i++) {
#pragma omp cancellation point for
    raise_by_one(whole);
  }
}

int main(int count, char** arguments) {
  (void)arguments;
  never = count > 1000;
  for (int round = 0; round < 20; round++) {
    int begun = 0, whole = 0;
    loops_of_each_schedule();
    region_that_might_be_cancelled();
    loop_before_a_cancelled_one();
    region_left_by_one_thread();
    nested_regions();
    reductions();
    orphaned(&begun, &whole); // no region: a team of one
    orphaned(&begun, &whole);
#pragma omp parallel
    orphaned(&begun, &whole);
    CHECK_EQUAL(begun, 0);
    CHECK_EQUAL(whole, 3 * trips);
  }
  return finish();
}
