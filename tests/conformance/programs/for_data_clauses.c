// private, firstprivate, lastprivate and linear on loops of several schedules.
// run:
// run: OMP_SCHEDULE=dynamic
// run with hetmp: OMP_SCHEDULE=hetprobe
// run with hetmp: OMP_SCHEDULE=hetprobe-i
#include "check.h"

#include <omp.h>

enum { count = 97 };

int main(void) {
  int first = 10, last = -1, both = 5, line = 100;
  static int seen[count];
#pragma omp parallel for firstprivate(first) lastprivate(last)
  for (int i = 0; i < count; i++) {
    CHECK(first >= 10);
    first++; // the thread's own
    last = i * 2;
  }
  CHECK_EQUAL(first, 10);
  CHECK_EQUAL(last, 2 * (count - 1));

#pragma omp parallel for schedule(dynamic, 3) lastprivate(last)
  for (int i = 0; i < count; i++)
    last = i + 1000;
  CHECK_EQUAL(last, count - 1 + 1000);

  for (int visit = 0; visit < 12; visit++) { // a schedule that probes changes its mind
#pragma omp parallel for schedule(runtime) lastprivate(last)
    for (int i = 0; i < count; i++)
      last = i + 2000 + visit;
    CHECK_EQUAL(last, count - 1 + 2000 + visit);
  }

#pragma omp parallel for schedule(guided) lastprivate(last)
  for (int i = count - 1; i >= 0; i--)
    last = i - 7;
  CHECK_EQUAL(last, -7);

#pragma omp parallel for firstprivate(both) lastprivate(both) schedule(static, 1)
  for (int i = 0; i < count; i++)
    both = i;
  CHECK_EQUAL(both, count - 1);

#pragma omp parallel for linear(line : 3)
  for (int i = 0; i < count; i++) {
    seen[i] = line;
    line += 3;
  }
  for (int i = 0; i < count; i++)
    CHECK_EQUAL(seen[i], 100 + 3 * i);
  CHECK_EQUAL(line, 100 + 3 * count);

#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < 1; i++)
    last = 77;
  CHECK_EQUAL(last, 77);
  return finish();
}
