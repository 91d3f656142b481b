/* One long region: a program that is nothing but one parallel region with one static loop. Each iteration counts the
 * steps of the Collatz sequences of a batch of numbers; there is no data but the results.
 *
 * Usage: one_region [class]     S: 2^20 numbers, W: 2^22, A: 2^24, B: 2^26 */
#include "../common/benchmark.h"

enum { BATCH = 1024 };

typedef struct {
  char name;
  long numbers;
  long steps; /* of all of them together, by a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 1L << 20, 138299811}, {'W', 1L << 22, 613409613}, {'A', 1L << 24, 2694985024}, {'B', 1L << 26, 11748210259}};

static long collatz_steps(uint64_t number) {
  long steps = 0;
  while (number > 1) {
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    ++steps;
  }
  return steps;
}

static long count_steps(long numbers) {
  const long batches = numbers / BATCH;
  long total = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static) reduction(+ : total)
    for (long batch = 0; batch < batches; ++batch)
      for (long i = 0; i < BATCH; ++i)
        total += collatz_steps((uint64_t)(i * batches + batch)); /* strided: batches cost about the same */
  }
  return total;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const double start = omp_get_wtime();
  const long steps = count_steps(class->numbers);
  const double seconds = omp_get_wtime() - start;
  benchmark_report_start("one_region", class->name, omp_get_max_threads());
  printf("steps: %ld\n", steps);
  return benchmark_report_end(seconds, steps == class->steps);
}
