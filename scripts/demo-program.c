// An ordinary OpenMP program: the heat of a plate that is held hot on one side, then a survey of its points.
// The schedule is left to HETMP_SCHEDULE or OMP_SCHEDULE, as schedule(runtime) does.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { side = 512, sweeps = 40, harmonics = 300 };

// One relaxation sweep: little arithmetic for much memory.
static void relax(const double* from, double* to) {
#pragma omp parallel for schedule(runtime)
  for (int row = 1; row < side - 1; row++)
    for (int column = 1; column < side - 1; column++) {
      const double* p = from + row * side + column;
      to[row * side + column] = 0.25 * (p[-1] + p[1] + p[-side] + p[side]);
    }
}

// The exact solution at the points of the plate: much arithmetic for little memory.
static double survey(double* exact) {
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int row = 0; row < side; row++)
    for (int column = 0; column < side; column++) {
      const double x = (double)row / (side - 1), y = (double)column / (side - 1);
      double heat = 0;
      for (int k = 1; k <= harmonics; k++) {
        const double n = (2 * k - 1) * 3.14159265358979323846;
        heat += 4 / n * sin(n * y) * exp(-n * x);
      }
      exact[row * side + column] = heat;
      sum += heat;
    }
  return sum / ((double)side * side);
}

int main(void) {
  double* plate = calloc(2 * side * side, sizeof *plate);
  double* exact = calloc(side * side, sizeof *exact);
  if (!plate || !exact)
    return 1;
  double *from = plate, *to = plate + side * side;
  for (int column = 1; column < side - 1; column++)
    from[column] = to[column] = 1;

  double begin = omp_get_wtime();
  for (int sweep = 0; sweep < sweeps; sweep++) {
    relax(from, to);
    double* swap = from;
    from = to;
    to = swap;
  }
  printf("relaxation: %d sweeps, %.2f s, heat beside the hot edge %.6f\n", sweeps, omp_get_wtime() - begin,
         from[side + side / 2]);

  for (int round = 1; round <= 3; round++) {
    begin = omp_get_wtime();
    const double mean = survey(exact);
    printf("survey %d: %.2f s, mean heat %.6f\n", round, omp_get_wtime() - begin, mean);
  }
  printf("%d threads\n", omp_get_max_threads());
  free(exact);
  free(plate);
  return 0;
}
