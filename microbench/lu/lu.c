/* A pipelined solver after NAS LU: symmetric successive over-relaxation of a 3D elliptic system with five coupled
 * components. In each sweep a point needs its new neighbours below, before and beside it; threads own ranges of rows
 * and pass planes on through flags of their own that they spin on, as the benchmark's OpenMP version does.
 *
 * The order of operations is that of a serial sweep, so results are the same for any number of threads.
 *
 * Usage: lu [class]     S: 24^3 points, 20 iterations, W: 64^3, 40, A: 96^3, 100 */
#include "../common/benchmark.h"

enum { COMPONENTS = 5, LINE = 64 };

typedef struct {
  char name;
  int points, iterations;
  double norm; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 24, 20, 3.297922944165768e+00}, {'W', 64, 40, 4.597671639837134e+00}, {'A', 96, 100, 4.896492894607025e+00}};

typedef struct {
  double value[COMPONENTS];
} Point;

typedef struct {
  int width; /* points in each direction and the boundary at both sides */
  Point *solution, *source;
} Grid;

typedef struct {
  int planes; /* done in this sweep; written by its thread with release, read by the next with acquire */
  char padding[LINE - sizeof(int)];
} Progress;

static long place(const Grid* grid, int k, int j, int i) { return ((long)k * grid->width + j) * grid->width + i; }

static void wait_for(const Progress* progress, int planes) {
  while (__atomic_load_n(&progress->planes, __ATOMIC_ACQUIRE) < planes)
    ;
}

static void relax(Grid* grid, long at) {
  const double omega = 1.2;
  const long row = grid->width, plane = row * row;
  Point* solution = grid->solution;
  for (int c = 0; c < COMPONENTS; ++c) {
    const int other = (c + 1) % COMPONENTS;
    const double around = solution[at - 1].value[c] + solution[at + 1].value[c] + solution[at - row].value[c] +
                          solution[at + row].value[c] + solution[at - plane].value[c] + solution[at + plane].value[c];
    const double wanted = (grid->source[at].value[c] + around + 0.3 * solution[at].value[other]) / 6.5;
    solution[at].value[c] += omega * (wanted - solution[at].value[c]);
  }
}

static void relax_row(Grid* grid, int k, int j, bool upwards) {
  const int last = grid->width - 2;
  for (int i = 1; i <= last; ++i)
    relax(grid, place(grid, k, j, upwards ? i : last + 1 - i));
}

/* One sweep of this thread's rows [first, end). `progress` has an entry for each thread. */
static void sweep(Grid* grid, Progress* progress, int first, int end, bool upwards) {
  const int me = omp_get_thread_num(), members = omp_get_num_threads(), last = grid->width - 2;
  const int before = upwards ? me - 1 : me + 1;
  for (int plane = 1; plane <= last; ++plane) {
    if (before >= 0 && before < members)
      wait_for(&progress[before], plane);
    for (int j = first; j < end; ++j)
      relax_row(grid, upwards ? plane : last + 1 - plane, upwards ? j : end - 1 - (j - first), upwards);
    __atomic_store_n(&progress[me].planes, plane, __ATOMIC_RELEASE);
  }
}

static void iterate(Grid* grid, Progress* progress) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), members = omp_get_num_threads(), rows = grid->width - 2;
    const int first = 1 + rows * me / members, end = 1 + rows * (me + 1) / members;
    for (int upwards = 1; upwards >= 0; --upwards) {
      progress[me].planes = 0;
#pragma omp barrier
      sweep(grid, progress, first, end, upwards);
#pragma omp barrier
    }
  }
}

static void make_grid(Grid* grid, int points) {
  grid->width = points + 2;
  const long count = (long)grid->width * grid->width * grid->width;
  grid->solution = benchmark_allocate((size_t)count, sizeof(Point));
  grid->source = benchmark_allocate((size_t)count, sizeof(Point));
#pragma omp parallel for
  for (long at = 0; at < count; ++at)
    for (int c = 0; c < COMPONENTS; ++c) {
      grid->solution[at].value[c] = 0.0;
      grid->source[at].value[c] = (double)((at * 37 + c * 11) % 101) / 101.0;
    }
}

static double norm_of(const Grid* grid) {
  double sum = 0.0;
  const long count = (long)grid->width * grid->width * grid->width;
  for (long at = 0; at < count; ++at)
    for (int c = 0; c < COMPONENTS; ++c)
      sum += grid->solution[at].value[c] * grid->solution[at].value[c];
  return sqrt(sum / (double)count);
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  Grid grid;
  const int threads = benchmark_threads();
  make_grid(&grid, class->points);
  Progress* progress = benchmark_allocate((size_t)threads, sizeof(Progress));
  benchmark_report_start("lu", class->name, threads);
  const double start = omp_get_wtime();
  for (int i = 0; i < class->iterations; ++i)
    iterate(&grid, progress);
  const double seconds = omp_get_wtime() - start;
  const double norm = norm_of(&grid);
  printf("norm: %.15e\n", norm);
  free(grid.solution);
  free(grid.source);
  free(progress);
  return benchmark_report_end(seconds, benchmark_near(norm, class->norm, 1e-12));
}
