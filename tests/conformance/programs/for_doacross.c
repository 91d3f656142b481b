// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// ordered(n) with depend(sink: ..) and depend(source): iterations wait for those that they name, in loops of one and two
// dimensions, up and down, with each schedule.
#include "check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 40, columns = 30 };
static long cells[rows + 1][columns + 1];

// Each cell is the sum of its neighbours before it, so one that is computed too early is wrong.
static long expected(void) {
  static long values[rows + 1][columns + 1];
  for (int i = 0; i <= rows; i++)
    for (int j = 0; j <= columns; j++)
      values[i][j] = i == 0 || j == 0 ? 1 : (values[i - 1][j] + values[i][j - 1]) % 1000003;
  return values[rows][columns];
}

static void prepare(void) {
  for (int i = 0; i <= rows; i++)
    for (int j = 0; j <= columns; j++)
      cells[i][j] = i == 0 || j == 0;
}

#define PRAGMA(text) _Pragma(#text)
#define CHECK_SCHEDULE(clauses)                                                                              \
  do {                                                                                                       \
    prepare();                                                                                               \
    _Pragma("omp parallel") {                                                                                \
      PRAGMA(omp for ordered(2) clauses)                                                                     \
      for (int i = 1; i <= rows; i++)                                                                        \
        for (int j = 1; j <= columns; j++) {                                                                 \
          _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)")                             \
          cells[i][j] = (cells[i - 1][j] + cells[i][j - 1]) % 1000003;                                       \
          _Pragma("omp ordered depend(source)")                                                              \
        }                                                                                                    \
    }                                                                                                        \
    CHECK_EQUAL(cells[rows][columns], expected());                                                           \
    int line[101];                                                                                           \
    memset(line, 0, sizeof line);                                                                            \
    _Pragma("omp parallel") {                                                                                \
      PRAGMA(omp for ordered(1) clauses)                                                                     \
      for (long i = 99; i >= 0; i -= 3) {                                                                    \
        _Pragma("omp ordered depend(sink : i + 3)")                                                          \
        line[i] = i + 3 <= 99 ? line[i + 3] + 1 : 1;                                                         \
        _Pragma("omp ordered depend(source)")                                                                \
      }                                                                                                      \
    }                                                                                                        \
    CHECK_EQUAL(line[0], 34);                                                                                \
  } while (0)

int main(void) {
  const char* rounds = getenv("CONFORMANCE_ROUNDS"); // fewer where a machine is slow (tests/rdma)
  for (int round = 0; round < (rounds ? atoi(rounds) : 3); round++) {
    CHECK_SCHEDULE();
    CHECK_SCHEDULE(schedule(static, 1));
    CHECK_SCHEDULE(schedule(static, 3));
    CHECK_SCHEDULE(schedule(dynamic));
    CHECK_SCHEDULE(schedule(dynamic, 2));
    CHECK_SCHEDULE(schedule(guided));
    CHECK_SCHEDULE(schedule(runtime));
  }

  // Two nests under way at once, and a region of one thread.
  int first[50] = {0}, second[50] = {0}, alone[50] = {0};
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static, 2) nowait
    for (int i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
      first[i] = first[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(1) schedule(dynamic, 3)
    for (int i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
      second[i] = second[i - 1] + 2;
#pragma omp ordered depend(source)
    }
  }
#pragma omp parallel num_threads(1)
#pragma omp for ordered(1)
  for (int i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
    alone[i] = alone[i - 1] + 3;
#pragma omp ordered depend(source)
  }
  CHECK_EQUAL(first[49], 49);
  CHECK_EQUAL(second[49], 98);
  CHECK_EQUAL(alone[49], 147);
  return finish();
}
