/* NAS MG: V-cycles of a multigrid method for a 3D Poisson equation with periodic boundaries, on grids of 2^k points in
 * each direction. Written from the specification (NAS Technical Report RNR-94-007). Many loops over grids of all sizes
 * that stream memory and share border planes.
 *
 * Usage: mg [class]     S: 32^3 points and 4 iterations, W: 128^3 and 4, A: 256^3 and 4, B: 256^3 and 20 */
#include "../common/benchmark.h"
#include "grid.h"

enum { MOST_LEVELS = 10, CHARGES = 10 };

typedef struct {
  char name;
  int levels, iterations;
  double norm; /* the official result */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 5, 4, 0.5307707005734e-4},
                                       {'W', 7, 4, 0.6467329375339e-5},
                                       {'A', 8, 4, 0.2433365309069e-5},
                                       {'B', 8, 20, 0.1800564401355e-5}};

/* Coefficients by distance: itself, faces, edges, corners. */
static const Stencil OPERATOR = {{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0}};
static const Stencil SMOOTHER_OF_SMALL = {{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0}};
static const Stencil SMOOTHER_OF_LARGE = {{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0}};

typedef struct {
  int levels;
  Stencil smoother;
  Grid solution[MOST_LEVELS], residual[MOST_LEVELS]; /* of level k: 2^(k+1) points in each direction */
  Grid charge;
} Problem;

static void make_problem(Problem* problem, const ProblemClass* class) {
  problem->levels = class->levels;
  problem->smoother = class->name == 'B' ? SMOOTHER_OF_LARGE : SMOOTHER_OF_SMALL;
  for (int level = 0; level < class->levels; ++level) {
    problem->solution[level] = grid_make(2 << level);
    problem->residual[level] = grid_make(2 << level);
  }
  problem->charge = grid_make(1 << class->levels);
  grid_set_charges(&problem->charge, CHARGES);
}

static void free_problem(Problem* problem) {
  for (int level = 0; level < problem->levels; ++level) {
    grid_free(&problem->solution[level]);
    grid_free(&problem->residual[level]);
  }
  grid_free(&problem->charge);
}

/* One V-cycle: the solution gains what corrects the residual, which is then computed anew. */
static void cycle(Problem* problem) {
  const int top = problem->levels - 1;
  for (int level = top; level > 0; --level)
    grid_restrict(&problem->residual[level], &problem->residual[level - 1]);
  grid_clear(&problem->solution[0]);
  grid_smooth(&problem->residual[0], &problem->solution[0], &problem->smoother);
  for (int level = 1; level <= top; ++level) {
    Grid *solution = &problem->solution[level], *residual = &problem->residual[level];
    if (level < top)
      grid_clear(solution);
    grid_interpolate(&problem->solution[level - 1], solution);
    grid_residual(solution, level < top ? residual : &problem->charge, residual, &OPERATOR);
    grid_smooth(residual, solution, &problem->smoother);
  }
  grid_residual(&problem->solution[top], &problem->charge, &problem->residual[top], &OPERATOR);
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  Problem problem;
  benchmark_report_start("mg", class->name, benchmark_threads());
  make_problem(&problem, class);
  const int top = class->levels - 1;
  const double start = omp_get_wtime();
  grid_residual(&problem.solution[top], &problem.charge, &problem.residual[top], &OPERATOR);
  for (int i = 1; i <= class->iterations; ++i) {
    const double begun = omp_get_wtime();
    cycle(&problem);
    printf("visit %d: %.6f s\n", i, omp_get_wtime() - begun);
  }
  const double seconds = omp_get_wtime() - start;
  const double norm = grid_norm(&problem.residual[top]);
  printf("norm: %.13e\n", norm);
  free_problem(&problem);
  return benchmark_report_end(seconds, benchmark_near(norm, class->norm, 1e-8));
}
