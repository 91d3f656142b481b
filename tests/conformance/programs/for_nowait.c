// nowait: many loops in flight at once, each of every schedule, and one barrier at the end.
#include "check.h"

#include <omp.h>

enum { loops = 24, count = 60 };

int main(void) {
  static int visits[4][loops][count];
#pragma omp parallel
  for (int loop = 0; loop < loops; loop++) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < count; i++)
      raise_by_one(&visits[0][loop][i]);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < count; i++)
      raise_by_one(&visits[1][loop][i]);
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < count; i++)
      raise_by_one(&visits[2][loop][i]);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      raise_by_one(&visits[3][loop][i]);
  }
  for (int kind = 0; kind < 4; kind++)
    for (int loop = 0; loop < loops; loop++)
      for (int i = 0; i < count; i++)
        CHECK_EQUAL(visits[kind][loop][i], 1);
  return finish();
}
