/* Gauss-Seidel relaxation of Laplace's equation, by tasks: one for each block of 128 x 128 points and sweep, ordered by
 * its dependences on its four neighbours. A sweep waits for nothing but those, so several are under way at once.
 *
 * Usage: seidel [class]     S: 4 sweeps of 512 x 512 points, W: 300 of 1,024 x 1,024, A: 1,200 of the same */
#include "../common/benchmark.h"

enum { BLOCK = 128 };

typedef struct {
  char name;
  int points, sweeps;
  double sum; /* that one thread gets, without tasks */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 512, 4, 1183.35896776}, {'W', 1024, 300, 14732.99597}, {'A', 1024, 1200, 28320.5979505}};

static void relax_block(double* grid, int width, int row, int column) {
  for (int i = row; i < row + BLOCK; ++i)
    for (int j = column; j < column + BLOCK; ++j) {
      double* const point = grid + (size_t)i * (size_t)width + j;
      *point = 0.25 * (point[-width] + point[width] + point[-1] + point[1]);
    }
}

/* Blocks are named by their first points; borders, which nobody writes, by some point of theirs. */
static void sweep(double* grid, int points) {
  const int width = points + 2;
  for (int row = 1; row <= points; row += BLOCK)
    for (int column = 1; column <= points; column += BLOCK) {
      double* const block = grid + (size_t)row * (size_t)width + column;
      double* const above = block - (size_t)(row == 1 ? 1 : BLOCK) * (size_t)width;
      double* const below = block + (size_t)BLOCK * (size_t)width;
      double* const left = block - (column == 1 ? 1 : BLOCK);
      double* const right = block + BLOCK;
#pragma omp task depend(inout : *block) depend(in : *above, *below, *left, *right) firstprivate(row, column)
      relax_block(grid, width, row, column);
    }
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const size_t width = (size_t) class->points + 2;
  double* grid = calloc(width * width, sizeof *grid);
  for (size_t i = 0; i < width; ++i)
    grid[i] = 1;
  benchmark_report_start("seidel", class->name, benchmark_threads());
  const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < class->sweeps; ++i)
    sweep(grid, class->points);
  const double seconds = omp_get_wtime() - start;
  double sum = 0;
  for (size_t i = 0; i < width * width; ++i)
    sum += grid[i];
  printf("sum: %.12g\n", sum);
  free(grid);
  return benchmark_report_end(seconds, fabs(sum - class->sum) <= 1e-9 * class->sum);
}
