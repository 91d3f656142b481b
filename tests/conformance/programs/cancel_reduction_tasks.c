// run: OMP_CANCELLATION=true
// `cancel taskgroup` in a task that takes part in a loop's, or sections', reduction(task, ..) cancels the taskgroup
// around the loop: the construct has none of its own (OpenMP 5.1, section 2.20.1). What the threads themselves add
// stays. hetmp and libgomp alone: libomp cancels what it has made for the reduction.
#include "check.h"

#include <omp.h>

enum { trips = 64 };

int main(void) {
  for (int round = 0; round < 50; round++) {
    int sum = 0, after = 0, begun = 0, threads = 0;
#pragma omp parallel num_threads(4)
    {
      raise_by_one(&threads);
#pragma omp taskgroup
      {
#pragma omp for schedule(static) reduction(task, + : sum)
        for (int i = 0; i < trips; i++) {
          sum++;
#pragma omp task in_reduction(+ : sum) shared(after)
          {
            sum += 0;
#pragma omp cancel taskgroup
            raise_by_one(&after);
          }
        }
#pragma omp task shared(begun)
        raise_by_one(&begun);
      }
    }
    CHECK_EQUAL(sum, trips);
    CHECK_EQUAL(after, 0);
    CHECK_EQUAL(begun, 0); // each thread's part of the loop had tasks, which are complete at its end

    // The taskgroup was each thread's own, and is over.
    int whole = 0;
#pragma omp parallel num_threads(4) reduction(task, + : sum)
    {
#pragma omp task shared(whole) in_reduction(+ : sum)
      {
        sum++;
        raise_by_one(&whole);
      }
    }
    CHECK_EQUAL(whole, threads);
    CHECK_EQUAL(sum, trips + threads);
  }
  return finish();
}
