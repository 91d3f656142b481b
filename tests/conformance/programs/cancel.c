// run: OMP_CANCELLATION=true
// cancel and cancellation points: regions, loops, sections and taskgroups end early, and what comes after them is as if
// they had not; without OMP_CANCELLATION nothing is cancelled.
#include "check.h"

#include <omp.h>

int main(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 20; round++) {
    int after = 0, entered = 0, done = 0;
#pragma omp parallel
    {
      raise_by_one(&entered);
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
#pragma omp barrier
      raise_by_one(&after);
    }
    CHECK(entered >= 1);
    CHECK_EQUAL(after, 0);

    // Threads that leave have not met the loops that others meet. The next region is whole.
    int some = 0, all = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
      }
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 100; i++)
        raise_by_one(&some);
#pragma omp cancellation point parallel
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < 1000; i++)
        raise_by_one(&some);
#pragma omp barrier
#pragma omp single
      some = 1000000;
    }
    CHECK(some <= 1100);
#pragma omp parallel
    for (int loop = 0; loop < 20; loop++) {
#pragma omp for schedule(dynamic, 7) nowait
      for (int i = 0; i < 100; i++)
        raise_by_one(&all);
    }
    CHECK_EQUAL(all, 2000);

    // By one thread, and by a condition; the next loop is whole.
    int whole = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 10000; i++) {
#pragma omp cancellation point for
        if (i == 50) {
#pragma omp cancel for
        }
        raise_by_one(&done);
      }
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 1000; i++)
        raise_by_one(&whole);
#pragma omp for
      for (int i = 0; i < 1000; i++) {
        if (i % 100 == 99) {
#pragma omp cancel for if (i < 0)
        }
        raise_by_one(&whole);
      }
    }
    CHECK(done < 10000);
    CHECK_EQUAL(whole, 2000);

    int sections = 0;
#pragma omp parallel
    {
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancel sections
          raise_by_one(&sections);
        }
#pragma omp section
        {
#pragma omp cancellation point sections
        }
      }
    }
    CHECK_EQUAL(sections, 0);

    int begun = 0, outside = 0;
#pragma omp parallel
#pragma omp single
    {
      int gate = 0;
      (void)gate;
#pragma omp task shared(outside)
      raise_by_one(&outside);
#pragma omp taskgroup
      {
#pragma omp task depend(out : gate) shared(gate)
        {
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : gate) shared(begun)
          raise_by_one(&begun);
      }
    }
    CHECK_EQUAL(begun, 0);
    CHECK_EQUAL(outside, 1);
  }
  return finish();
}
