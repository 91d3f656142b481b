// collapse of two and three loops, rectangular, with strides and with 64-bit bounds.
#include "check.h"

#include <omp.h>

int main(void) {
  static int two[13][17], three[5][6][7], strided[10][10];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 13; i++)
    for (int j = 0; j < 17; j++)
      raise_by_one(&two[i][j]);
#pragma omp parallel for collapse(3) schedule(dynamic, 4)
  for (int i = 0; i < 5; i++)
    for (long j = 0; j < 6; j++)
      for (int k = 6; k >= 0; k--)
        raise_by_one(&three[i][j][k]);
#pragma omp parallel for collapse(2) schedule(guided)
  for (int i = 1; i < 10; i += 3)
    for (int j = 0; j < 10; j += 4)
      raise_by_one(&strided[i][j]);
  for (int i = 0; i < 13; i++)
    for (int j = 0; j < 17; j++)
      CHECK_EQUAL(two[i][j], 1);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 7; k++)
        CHECK_EQUAL(three[i][j][k], 1);
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      CHECK_EQUAL(strided[i][j], i % 3 == 1 && j % 4 == 0);
  return finish();
}
