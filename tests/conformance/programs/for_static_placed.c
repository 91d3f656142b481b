// Static loops whose shares follow what was measured or given: every iteration once on every visit, and between two
// barriers the same one on the same thread, so that nowait is as safe as ever.
// run: HETMP_LOOPS=runtime
// run: HETMP_LOOPS=all
// run: HETMP_LOOPS=all HETMP_DECISION=predict
// run: HETMP_LOOPS=all HETMP_CSR=1,5
// run: HETMP_CSR=5,1
// run: HETMP_CSR=0,1
#include "check.h"

#include <omp.h>
#include <stdint.h>

enum { most = 4000, visits = 60 };

static int owner[most], values[most], results[most];

// Costs that change from place to place and from visit to visit, so that decisions change as well.
static int spend(int iteration, int visit) {
  volatile int work = iteration;
  for (int k = 0; k < (iteration % 7 + visit % 5) * 4; ++k)
    work = work + 1;
  return work;
}

static void one_region(int trips, int visit) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < trips; ++i) {
      owner[i] = omp_get_thread_num();
      values[i] = spend(i, visit) - spend(i, visit) + i + visit;
    }
#pragma omp for nowait
    for (int i = trips - 1; i >= 0; --i) { // as many iterations: number k of both loops on the same thread
      const int partner = trips - 1 - i;
      CHECK_EQUAL(owner[partner], omp_get_thread_num());
      results[partner] = values[partner] * 2;
    }
#pragma omp for
    for (int64_t i = 0; i < trips / 2; ++i) // another number of iterations
      (void)spend((int)i, visit);
#pragma omp for
    for (int i = 0; i < trips; ++i)
      results[i] += 1;
  }
  for (int i = 0; i < trips; ++i)
    CHECK_EQUAL(results[i], 2 * (i + visit) + 1);
}

static void many_visits_in_one_region(int trips) {
  long long sum = 0;
#pragma omp parallel
  for (int visit = 0; visit < visits; ++visit) {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < trips; ++i)
      sum += spend(i, visit) - spend(i, visit) + i;
  }
  CHECK_EQUAL(sum, (long long)visits * trips * (trips - 1) / 2);
}

static void last_values(int trips) {
  int last = -1;
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < trips; ++i)
    last = i;
  CHECK_EQUAL(last, trips - 1);
}

static void sections_are_not_loops(void) {
  int first = 0, second = 0;
#pragma omp parallel sections
  {
#pragma omp section
    raise_by_one(&first);
#pragma omp section
    raise_by_one(&second);
  }
  CHECK_EQUAL(first, 1);
  CHECK_EQUAL(second, 1);
}

int main(void) {
  for (int visit = 0; visit < visits; ++visit) {
    one_region(visit % 4 == 0 ? 3 : 257, visit);
    last_values(1 + visit);
    sections_are_not_loops();
  }
  many_visits_in_one_region(most);
  many_visits_in_one_region(1);
  return finish();
}
