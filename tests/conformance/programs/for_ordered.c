// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// ordered: the bodies run in the order of the iterations, under every schedule, and also when some iterations
// skip it.
#include "check.h"

#include <omp.h>

enum { count = 120 };
static int order[count], position;

static void check_order(int step) {
  for (int i = 0; i < position; i++)
    CHECK_EQUAL(order[i], i * step);
  CHECK_EQUAL(position, (count + step - 1) / step);
  position = 0;
}

#define PRAGMA(text) _Pragma(#text)
#define RUN(clauses)                                                                                         \
  PRAGMA(omp parallel for ordered clauses)                                                                   \
  for (int i = 0; i < count; i++) {                                                                          \
    PRAGMA(omp ordered) {                                                                                    \
      order[position++] = i;                                                                                 \
    }                                                                                                        \
  }                                                                                                          \
  check_order(1);

int main(void) {
  RUN(schedule(static))
  RUN(schedule(static, 3))
  RUN(schedule(dynamic))
  RUN(schedule(dynamic, 4))
  RUN(schedule(guided))
  RUN(schedule(runtime))
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int i = 0; i < count; i++)
    if (i % 3 == 0) {
#pragma omp ordered
      order[position++] = i;
    }
  check_order(3);
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = count - 1; i >= 0; i--) {
#pragma omp ordered
    order[position++] = count - 1 - i;
  }
  check_order(1);
  return finish();
}
