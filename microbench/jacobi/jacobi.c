/* Jacobi relaxation of Laplace's equation: one short region an iteration, which reads one grid, writes another, and
 * reduces the largest change. A node that has its rows needs only those at their borders from others.
 *
 * Usage: jacobi [class]     S: 10 iterations of 256 x 256 points, W: 600 of 1,500 x 1,500, A: 2,500 of the same */
#include "../common/benchmark.h"

typedef struct {
  char name;
  int points, iterations;
  double sum; /* that one thread gets */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 256, 10, 601.871686935}, {'W', 1500, 600, 21317.035099}, {'A', 1500, 2500, 42304.5953527}};

static double relax(const double* from, double* to, int width) {
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int i = 1; i < width - 1; ++i)
    for (int j = 1; j < width - 1; ++j) {
      const double* const point = from + (size_t)i * (size_t)width + j;
      const double mean = 0.25 * (point[-width] + point[width] + point[-1] + point[1]);
      const double change = fabs(mean - *point);
      largest = change > largest ? change : largest;
      to[(size_t)i * (size_t)width + (size_t)j] = mean;
    }
  return largest;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const size_t width = (size_t) class->points + 2;
  double* now = calloc(width * width, sizeof *now);
  double* next = calloc(width * width, sizeof *next);
  for (size_t i = 0; i < width; ++i)
    now[i] = next[i] = 1;
  benchmark_report_start("jacobi", class->name, benchmark_threads());
  double largest = 0;
  const double start = omp_get_wtime();
  for (int i = 0; i < class->iterations; ++i) {
    largest = relax(now, next, (int)width);
    double* const last = now;
    now = next;
    next = last;
  }
  const double seconds = omp_get_wtime() - start;
  double sum = 0;
  for (size_t i = 0; i < width * width; ++i)
    sum += now[i];
  printf("sum: %.12g\nlargest change: %.6g\n", sum, largest);
  free(now);
  free(next);
  return benchmark_report_end(seconds, fabs(sum - class->sum) <= 1e-9 * class->sum);
}
