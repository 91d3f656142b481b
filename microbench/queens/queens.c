/* Queens on a board, none in reach of another: one task for each way to place the first two, which counts how the rest
 * can stand. One thread generates them all, in a region that is most of the program; they share nothing but the sum.
 *
 * Usage: queens [class]     S: 8 by 8, W: 14, A: 15, B: 16 */
#include "../common/benchmark.h"

typedef struct {
  char name;
  int size;
  long ways; /* published: OEIS A000170 */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 8, 92}, {'W', 14, 365596}, {'A', 15, 2279184}, {'B', 16, 14772512}};

/* Ways to fill the rows from `row` on. Bits are columns: taken ones, and those that queens above reach by diagonals. */
static long ways(int size, int row, unsigned taken, unsigned left, unsigned right) {
  if (row == size)
    return 1;
  long found = 0;
  for (unsigned free = ((1u << size) - 1) & ~(taken | left | right); free != 0; free &= free - 1) {
    const unsigned here = free & -free;
    found += ways(size, row + 1, taken | here, (left | here) << 1, (right | here) >> 1);
  }
  return found;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const int size = class->size;
  benchmark_report_start("queens", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  long found = 0;
#pragma omp parallel
#pragma omp single
  for (int first = 0; first < size; ++first)
    for (int second = 0; second < size; ++second) {
      if (abs(first - second) < 2)
        continue;
#pragma omp task firstprivate(first, second) shared(found)
      {
        const unsigned above = 1u << first, here = 1u << second;
        const long here_found = ways(size, 2, above | here, (above << 1 | here) << 1, (above >> 1 | here) >> 1);
#pragma omp atomic
        found += here_found;
      }
    }
  const double seconds = omp_get_wtime() - start;
  printf("ways: %ld\n", found);
  return benchmark_report_end(seconds, found == class->ways);
}
