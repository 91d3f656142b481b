/* Clustering of a stream after PARSEC's streamcluster: points arrive in batches; within a batch, one point after the
 * other is tried as a new centre, and what that would gain is summed over all points in a region of its own. Few
 * microseconds of reads of shared points to each decision, which the serial part makes.
 *
 * Usage: streamcluster [class]     S: 2 batches of 1,000 points, W: 4 of 8,000, A: 8 of 16,000, B: 8 of 96,000; 32
 * dimensions */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { DIMENSIONS = 32, TRIALS = 400, GROUPS = 15 };

typedef struct {
  char name;
  int batches, points;
  long checksum; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 2, 1000, 771185353}, {'W', 4, 8000, 187066500}, {'A', 8, 16000, 745255899}, {'B', 8, 96000, 863537394}};

static const long OPENING_COST = 50000000;

typedef struct {
  int coordinate[DIMENSIONS];
  int centre;
  long cost; /* squared distance to its centre */
} Point;

static long distance(const Point* from, const Point* to) {
  long sum = 0;
  for (int d = 0; d < DIMENSIONS; ++d) {
    const long difference = from->coordinate[d] - to->coordinate[d];
    sum += difference * difference;
  }
  return sum;
}

static void read_batch(Point* points, int count, uint64_t* random) {
  for (int i = 0; i < count; ++i) {
    const int group = (int)(npb_random(random) * GROUPS);
    for (int d = 0; d < DIMENSIONS; ++d)
      points[i].coordinate[d] = (group * 7 + d * 3) % 11 * 100 + (int)(200.0 * npb_random(random));
  }
}

static void assign_all(Point* points, int count, int centre) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    points[i].centre = centre;
    points[i].cost = distance(&points[i], &points[centre]);
  }
}

static long gain_of(const Point* points, int count, int candidate) {
  long gain = -OPENING_COST;
#pragma omp parallel for reduction(+ : gain)
  for (int i = 0; i < count; ++i) {
    const long cost = distance(&points[i], &points[candidate]);
    gain += cost < points[i].cost ? points[i].cost - cost : 0;
  }
  return gain;
}

static void open_centre(Point* points, int count, int centre) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    const long cost = distance(&points[i], &points[centre]);
    if (cost < points[i].cost) {
      points[i].centre = centre;
      points[i].cost = cost;
    }
  }
}

/* The cost of the batch with the centres found, and these. */
static long cluster(Point* points, int count, uint64_t* random) {
  long centres = 1, cost = 0;
  assign_all(points, count, 0);
  for (int trial = 0; trial < TRIALS; ++trial) {
    const int candidate = (int)(npb_random(random) * count);
    if (gain_of(points, count, candidate) > 0) {
      open_centre(points, count, candidate);
      ++centres;
    }
  }
  for (int i = 0; i < count; ++i)
    cost += points[i].cost;
  return cost + centres * OPENING_COST;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  Point* points = benchmark_allocate((size_t) class->points, sizeof(Point));
  benchmark_report_start("streamcluster", class->name, benchmark_threads());
  uint64_t random = 271828183;
  long sum = 0;
  const double start = omp_get_wtime();
  for (int batch = 0; batch < class->batches; ++batch) {
    read_batch(points, class->points, &random);
    sum = (sum * 31 + cluster(points, class->points, &random)) % 1000000007;
  }
  const double seconds = omp_get_wtime() - start;
  printf("checksum: %ld\n", sum);
  free(points);
  return benchmark_report_end(seconds, sum == class->checksum);
}
