/* One region of many short phases: a string of cells, each of which goes on from itself and its two neighbours, in
 * rounds of two static loops with a barrier behind each. A thread keeps its cells, and needs of its neighbours' one at
 * either end: what the barriers cost is what several nodes may lose.
 *
 * Usage: phases [class]     16384 cells, S: 40 rounds, W: 1000, A: 8000; 262144 cells, B: 500 rounds, as long as A */
#include "../common/benchmark.h"

#include <inttypes.h>

enum { STEPS = 24 };

typedef struct {
  char name;
  int cells, rounds;
  uint64_t sum; /* of the cells in the end, by a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 16384, 40, 2573850246524929341u},
                                       {'W', 16384, 1000, 8751879066574404962u},
                                       {'A', 16384, 8000, 9404661727389198539u},
                                       {'B', 262144, 500, 4437884865679707601u}};

static uint64_t go_on(uint64_t x) {
  for (int step = 0; step < STEPS; ++step)
    x = x * 6364136223846793005u + (x >> 29);
  return x;
}

static void compute_rounds(uint64_t* cells, uint64_t* next, const ProblemClass* class) {
#pragma omp parallel
  for (int round = 0; round < class->rounds; ++round) {
#pragma omp for schedule(static)
    for (int i = 1; i < class->cells - 1; ++i)
      next[i] = go_on(cells[i - 1] + cells[i] + cells[i + 1] + (uint64_t)round);
#pragma omp for schedule(static)
    for (int i = 1; i < class->cells - 1; ++i)
      cells[i] = go_on(next[i]);
  }
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  uint64_t* cells = benchmark_allocate((size_t) class->cells, sizeof *cells);
  uint64_t* next = benchmark_allocate((size_t) class->cells, sizeof *next);
  for (int i = 0; i < class->cells; ++i) {
    cells[i] = (uint64_t)i;
    next[i] = 0;
  }
  const double start = omp_get_wtime();
  compute_rounds(cells, next, class);
  const double seconds = omp_get_wtime() - start;
  uint64_t sum = 0;
  for (int i = 0; i < class->cells; ++i)
    sum += cells[i] ^ (uint64_t)i;
  benchmark_report_start("phases", class->name, omp_get_max_threads());
  printf("sum: %" PRIu64 "\n", sum);
  return benchmark_report_end(seconds, sum == class->sum);
}
