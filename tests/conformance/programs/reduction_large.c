// Reductions of arrays, of many variables at once, of a user's own kind, on parallel, sections and nowait.
// flags: -latomic
// run:
// run: KMP_FORCE_REDUCTION=critical
// run: KMP_FORCE_REDUCTION=atomic
// run: KMP_FORCE_REDUCTION=tree
#include "check.h"

#include <complex.h>
#include <omp.h>

struct Extent {
  int low, high, count;
};

static struct Extent united(struct Extent a, struct Extent b) {
  const struct Extent both = {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.count + b.count};
  return both;
}
#pragma omp declare reduction(unite                                                                                    \
                              : struct Extent                                                                          \
                              : omp_out = united(omp_out, omp_in)) initializer(omp_priv = {1000000, -1000000, 0})

int main(void) {
  enum { count = 60, length = 64 };
  int table[length] = {0};
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < count; i++)
    for (int j = 0; j < length; j++)
      table[j] += i + j;
  for (int j = 0; j < length; j++)
    CHECK_EQUAL(table[j], count * (count - 1) / 2 + j * count);

  int part[20] = {0};
#pragma omp parallel for reduction(+ : part [5:10])
  for (int i = 0; i < count; i++)
    part[5 + i % 10]++;
  for (int j = 0; j < 20; j++)
    CHECK_EQUAL(part[j], j >= 5 && j < 15 ? count / 10 : 0);

  int a = 0, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0;
  double x = 0, y = 0, z = 0;
#pragma omp parallel for reduction(+ : a, b, c, d, x, y, z) reduction(* : e) reduction(max : f, g, h)
  for (int i = 0; i < count; i++) {
    a += 1, b += 2, c += 3, d += 4, x += 0.5, y += 0.25, z += 1;
    f = i > f ? i : f, g = 2 * i > g ? 2 * i : g, h = 3 * i > h ? 3 * i : h;
  }
  CHECK(a == count && b == 2 * count && c == 3 * count && d == 4 * count && e == 1);
  CHECK(x == count / 2.0 && y == count / 4.0 && z == count);
  CHECK(f == count - 1 && g == 2 * (count - 1) && h == 3 * (count - 1));

  struct Extent extent = {7, 7, 0};
#pragma omp parallel for reduction(unite : extent) schedule(guided)
  for (int i = 0; i < count; i++) {
    const struct Extent mine = {-i, i * i, 1};
    extent = united(extent, mine);
  }
  CHECK(extent.low == 1 - count && extent.high == (count - 1) * (count - 1) && extent.count == count);

  double complex turned = 1;
#pragma omp parallel for reduction(* : turned)
  for (int i = 0; i < 4; i++)
    turned *= I;
  CHECK(turned == 1);

  int whole = 0, sectioned = 0, first = 0, second = 0;
#pragma omp parallel reduction(+ : whole)
  {
    whole += omp_get_thread_num() + 1;
#pragma omp sections reduction(+ : sectioned)
    {
#pragma omp section
      sectioned += 1;
#pragma omp section
      sectioned += 2;
    }
#pragma omp for reduction(+ : first) nowait
    for (int i = 0; i < count; i++)
      first += i;
#pragma omp for reduction(+ : second)
    for (int i = 0; i < count; i++)
      second -= i;
  }
  CHECK_EQUAL(whole, 10);
  CHECK_EQUAL(sectioned, 3);
  CHECK_EQUAL(first, count * (count - 1) / 2);
  CHECK_EQUAL(second, -first);
  return finish();
}
