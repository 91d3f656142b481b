#include "adi.h"

#include "../common/benchmark.h"

typedef struct {
  int points;
  AdiPoint *state, *forcing, *side;
  AdiSolver solve_line;
} Problem;

static long place(const Problem* problem, long k, long j, long i) {
  return (k * problem->points + j) * problem->points + i;
}

static void make_problem(Problem* problem) {
  const long points = problem->points, count = points * points * points;
  problem->state = benchmark_allocate((size_t)count, sizeof(AdiPoint));
  problem->forcing = benchmark_allocate((size_t)count, sizeof(AdiPoint));
  problem->side = benchmark_allocate((size_t)count, sizeof(AdiPoint));
#pragma omp parallel for
  for (long at = 0; at < count; ++at)
    for (int c = 0; c < ADI_COMPONENTS; ++c) {
      problem->state[at].value[c] = 1.0 + 0.01 * (double)((at * 13 + c * 7) % 97) / 97.0;
      problem->forcing[at].value[c] = (double)((at * 37 + c * 11) % 101) / 101.0 - 0.5;
    }
}

/* The right hand side at one point inside: forcing, diffusion, and what components do to each other. */
static void set_side(const Problem* problem, long at) {
  const long row = problem->points, plane = row * row;
  const AdiPoint* state = problem->state;
  for (int c = 0; c < ADI_COMPONENTS; ++c) {
    const int other = (c + 1) % ADI_COMPONENTS;
    const double here = state[at].value[c];
    const double diffusion = state[at - 1].value[c] + state[at + 1].value[c] + state[at - row].value[c] +
                             state[at + row].value[c] + state[at - plane].value[c] + state[at + plane].value[c] -
                             6.0 * here;
    problem->side[at].value[c] =
        0.05 * (problem->forcing[at].value[c] + diffusion) + 0.001 * here * (state[at].value[other] - here);
  }
}

static void set_side_of_plane(const Problem* problem, long k) {
  const long last = problem->points - 1;
  for (long j = 0; j <= last; ++j)
    for (long i = 0; i <= last; ++i) {
      const long at = place(problem, k, j, i);
      if (k == 0 || k == last || j == 0 || j == last || i == 0 || i == last)
        problem->side[at] = (AdiPoint){{0.0}};
      else
        set_side(problem, at);
    }
}

/* The line that begins at `first` and takes `stride` from point to point. */
static void solve(const Problem* problem, long first, long stride) {
  AdiPoint state[ADI_LONGEST], side[ADI_LONGEST];
  for (int i = 0; i < problem->points; ++i) {
    state[i] = problem->state[first + i * stride];
    side[i] = problem->side[first + i * stride];
  }
  problem->solve_line(state, side, problem->points);
  for (int i = 0; i < problem->points; ++i)
    problem->side[first + i * stride] = side[i];
}

static void step(const Problem* problem) {
  const long points = problem->points;
#pragma omp parallel
  {
#pragma omp for
    for (long k = 0; k < points; ++k)
      set_side_of_plane(problem, k);
#pragma omp for
    for (long k = 0; k < points; ++k)
      for (long j = 0; j < points; ++j)
        solve(problem, place(problem, k, j, 0), 1);
#pragma omp for
    for (long k = 0; k < points; ++k)
      for (long i = 0; i < points; ++i)
        solve(problem, place(problem, k, 0, i), points);
#pragma omp for
    for (long j = 0; j < points; ++j) /* across the planes that a thread had so far */
      for (long i = 0; i < points; ++i)
        solve(problem, place(problem, 0, j, i), points * points);
#pragma omp for
    for (long at = 0; at < points * points * points; ++at)
      for (int c = 0; c < ADI_COMPONENTS; ++c)
        problem->state[at].value[c] += problem->side[at].value[c];
  }
}

static double norm_of(const Problem* problem) {
  const long count = (long)problem->points * problem->points * problem->points;
  double sum = 0.0;
  for (long at = 0; at < count; ++at)
    for (int c = 0; c < ADI_COMPONENTS; ++c)
      sum += problem->state[at].value[c] * problem->state[at].value[c] * (double)(1 + at % 7);
  return sqrt(sum / (double)count);
}

int adi_run(const char* name, const AdiClass* class, AdiSolver solve_line) {
  Problem problem = {.points = class->points, .solve_line = solve_line};
  benchmark_report_start(name, class->name, benchmark_threads());
  make_problem(&problem);
  const double start = omp_get_wtime();
  for (int i = 0; i < class->steps; ++i)
    step(&problem);
  const double seconds = omp_get_wtime() - start;
  const double norm = norm_of(&problem);
  printf("norm: %.15e\n", norm);
  free(problem.state);
  free(problem.forcing);
  free(problem.side);
  return benchmark_report_end(seconds, benchmark_near(norm, class->norm, 1e-11));
}
