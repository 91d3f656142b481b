// Many shared variables of main's stack, of every width, read and written by all threads.
#include "check.h"

#include <omp.h>

int main(void) {
  char a = 1;
  short b = 2;
  int c = 3;
  long d = 4;
  float e = 5;
  double f = 6;
  long double g = 7;
  int h[100], i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15, p = 16, q = 17, r = 18, s = 19, t = 20;
  int sums[4] = {0};
  struct {
    int x, y[3];
  } u = {21, {22, 23, 24}};
  for (int index = 0; index < 100; index++)
    h[index] = index;
#pragma omp parallel num_threads(4)
  {
    int sum = (int)(a + b + c + d + e + f + g) + i + j + k + l + m + n + o + p + q + r + s + t + u.x + u.y[2];
    for (int index = 0; index < 100; index++)
      sum += h[index];
    sums[omp_get_thread_num()] = sum;
#pragma omp barrier
#pragma omp single
    a = 100, b = 200, c = 300, d = 400, e = 0.5f, f = 0.25, g = 0.125L, u.y[1] = -1;
  }
  for (int thread = 0; thread < 4; thread++)
    CHECK_EQUAL(sums[thread], 28 + 174 + 45 + 4950);
  CHECK(a == 100 && b == 200 && c == 300 && d == 400 && e == 0.5f && f == 0.25 && g == 0.125L && u.y[1] == -1);
  return finish();
}
