/* k-means after Rodinia's: points move to the nearest of their centres, which are then computed anew from sums that
 * each thread keeps by its number. The serial part adds the sums of omp_get_max_threads() threads.
 *
 * Usage: kmeans [class]     S: 10,000 points, 10 rounds, W: 100,000, 30, A: 400,000, 40, B: 2,000,000, 60; 16
 * dimensions, 12 centres */
#include <string.h>

#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { DIMENSIONS = 16, CENTRES = 12 };

typedef struct {
  char name;
  int points, rounds;
  long checksum; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 10000, 10, 274358527},
                                       {'W', 100000, 30, 468180013},
                                       {'A', 400000, 40, 796795634},
                                       {'B', 2000000, 60, 45338246}};

typedef struct {
  float feature[DIMENSIONS];
} Point;

/* Whole numbers, so that sums do not depend on the division among threads. */
typedef struct {
  long sum[CENTRES][DIMENSIONS], members[CENTRES];
} Sums;

static void make_points(Point* points, int count) {
  uint64_t random = 271828183;
  for (int i = 0; i < count; ++i) {
    const double offset = 400.0 * (i % CENTRES);
    for (int d = 0; d < DIMENSIONS; ++d)
      points[i].feature[d] = floorf((float)(offset * (d % 3) + 3000.0 * npb_random(&random)));
  }
}

static int nearest(const Point* point, const Point* centres) {
  float least = INFINITY;
  int best = 0;
  for (int c = 0; c < CENTRES; ++c) {
    float distance = 0.0f;
    for (int d = 0; d < DIMENSIONS; ++d) {
      const float difference = point->feature[d] - centres[c].feature[d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

static void assign(const Point* points, int count, const Point* centres, int* member, Sums* partial) {
#pragma omp parallel
  {
    Sums* mine = &partial[omp_get_thread_num()];
    memset(mine, 0, sizeof *mine);
#pragma omp for schedule(static)
    for (int i = 0; i < count; ++i) {
      const int centre = nearest(&points[i], centres);
      member[i] = centre;
      ++mine->members[centre];
      for (int d = 0; d < DIMENSIONS; ++d)
        mine->sum[centre][d] += (long)points[i].feature[d];
    }
  }
}

static void move_centre(Point* centre, int number, const Sums* partial, int threads) {
  long members = 0;
  for (int t = 0; t < threads; ++t)
    members += partial[t].members[number];
  for (int d = 0; d < DIMENSIONS && members > 0; ++d) {
    long sum = 0;
    for (int t = 0; t < threads; ++t)
      sum += partial[t].sum[number][d];
    centre->feature[d] = floorf((float)(sum / members));
  }
}

static long checksum(const int* member, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i)
    sum = (sum * 31 + member[i]) % 1000000007;
  return sum;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const int threads = omp_get_max_threads();
  Point* points = benchmark_allocate((size_t) class->points, sizeof(Point));
  int* member = benchmark_allocate((size_t) class->points, sizeof(int));
  Sums* partial = benchmark_allocate((size_t)threads, sizeof(Sums));
  make_points(points, class->points);
  Point centres[CENTRES];
  memcpy(centres, points, sizeof centres);
  benchmark_report_start("kmeans", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  for (int round = 0; round < class->rounds; ++round) {
    assign(points, class->points, centres, member, partial);
    for (int c = 0; c < CENTRES; ++c)
      move_centre(&centres[c], c, partial, threads);
  }
  const double seconds = omp_get_wtime() - start;
  const long sum = checksum(member, class->points);
  printf("checksum: %ld\n", sum);
  free(points);
  free(member);
  free(partial);
  return benchmark_report_end(seconds, sum == class->checksum);
}
