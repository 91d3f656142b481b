// copyprivate: what one thread found out becomes every thread's private value; scalars, arrays, structures,
// threadprivate.
#include "check.h"

#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

struct Pair {
  double x;
  int y;
};

int main(void) {
  int next = 0, rounds_seen = 0;
#pragma omp parallel reduction(+ : rounds_seen)
  for (int round = 0; round < 25; round++) {
    int number = -1, list[5] = {0};
    struct Pair pair = {0, 0};
#pragma omp single copyprivate(number, list, pair, kept)
    {
      number = next++;
      for (int i = 0; i < 5; i++)
        list[i] = number * 10 + i;
      pair.x = number / 2.0;
      pair.y = -number;
      kept = number + 1000;
    }
    CHECK_EQUAL(number, round);
    for (int i = 0; i < 5; i++)
      CHECK_EQUAL(list[i], round * 10 + i);
    CHECK(pair.x == round / 2.0 && pair.y == -round);
    CHECK_EQUAL(kept, round + 1000);
    rounds_seen++;
  }
  CHECK_EQUAL(next, 25);
  CHECK_EQUAL(rounds_seen, 100);
  return finish();
}
