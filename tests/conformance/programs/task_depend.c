// depend: in, out, inout, mutexinoutset, iterators' many addresses; taskwait depend.
#include "check.h"

#include <omp.h>

enum { length = 60, width = 24 };
static int chain, readers, order[length];
static int grid[width][width];
static int inside, added;

int main(void) {
  for (int round = 0; round < 10; round++) {
    // One after the other.
    chain = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < length; i++)
#pragma omp task depend(inout : chain) firstprivate(i)
    {
      order[i] = chain;
      chain++;
    }
    for (int i = 0; i < length; i++)
      CHECK_EQUAL(order[i], i);

    // A writer, readers that see what it wrote, the next writer after all of them.
    int value = 0;
    readers = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < length / 4; i++) {
#pragma omp task depend(out : value) shared(value)
      {
        CHECK_EQUAL(readers, 3 * i);
        value = i + 1;
      }
      for (int reader = 0; reader < 3; reader++)
#pragma omp task depend(in : value) shared(value)
      {
        CHECK_EQUAL(value, i + 1);
        raise_by_one(&readers);
      }
    }
    CHECK_EQUAL(readers, 3 * (length / 4));

    // A wave front: each cell needs two neighbours.
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < width; i++)
      for (int j = 0; j < width; j++)
#pragma omp task depend(in : grid[i > 0 ? i - 1 : 0][j], grid[i][j > 0 ? j - 1 : 0]) depend(out : grid[i][j])
        grid[i][j] = i == 0 || j == 0 ? 1 : (grid[i - 1][j] + grid[i][j - 1]) % 1000;
    int expected[width][width];
    for (int i = 0; i < width; i++)
      for (int j = 0; j < width; j++) {
        expected[i][j] = i == 0 || j == 0 ? 1 : (expected[i - 1][j] + expected[i][j - 1]) % 1000;
        CHECK_EQUAL(grid[i][j], expected[i][j]);
      }

    // Any order, but not two at a time, after a writer and before a reader.
    int sum = -1;
    added = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : sum) shared(sum)
      sum = 0;
      for (int i = 0; i < length; i++)
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      {
        CHECK_EQUAL(raise_by_one(&inside), 0);
        sum += i;
        added++;
        __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
      }
#pragma omp task depend(in : sum) shared(sum)
      {
        CHECK_EQUAL(added, length);
        CHECK_EQUAL(sum, length * (length - 1) / 2);
      }
    }

    // A thread that waits for one of two.
#pragma omp parallel
#pragma omp single
    {
      int first = 0, second = 0;
#pragma omp task depend(out : first) shared(first)
      first = 1;
#pragma omp task depend(out : second) shared(second)
      second = 1;
#pragma omp taskwait depend(in : first)
      CHECK_EQUAL(first, 1);
#pragma omp task if (0) depend(in : second) shared(second)
      CHECK_EQUAL(second, 1);
#pragma omp taskwait
    }
    // A thread alone keeps the order as well.
    int last = 0;
    for (int i = 0; i < length; i++)
#pragma omp task depend(inout : last) shared(last)
      last = last * 3 % 1001 + i;
#pragma omp taskwait
    int wanted = 0;
    for (int i = 0; i < length; i++)
      wanted = wanted * 3 % 1001 + i;
    CHECK_EQUAL(last, wanted);
  }
  return finish();
}
