/* Neighbours of points in the unit square, in lists that grow by realloc(): each iteration allocates, grows and frees
 * one of its own. How many neighbours a point has nobody knows before.
 *
 * Usage: growing [class]     S: 1,000 points, W: 24,000, A: 60,000 */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

typedef struct {
  char name;
  int points;
  long neighbours;
  double sum; /* by cells of a grid, in place of all pairs */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 1000, 29970, 29593.4998825}, {'W', 24000, 16639134, 16249518.0768}, {'A', 60000, 103685548, 101165070.653}};

typedef struct {
  double x, y;
} Point;

typedef struct {
  int *points, count, room;
} List;

static void append(List* list, int point) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 4;
    list->points = realloc(list->points, (size_t)list->room * sizeof *list->points);
    if (!list->points)
      abort();
  }
  list->points[list->count++] = point;
}

static List neighbours_of(const Point* points, int count, int point) {
  const double radius_squared = 0.01;
  List near = {NULL, 0, 0};
  for (int other = 0; other < count; ++other) {
    const double x = points[point].x - points[other].x, y = points[point].y - points[other].y;
    if (x * x + y * y < radius_squared)
      append(&near, other);
  }
  return near;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const int count = class->points;
  Point* const points = benchmark_allocate((size_t)count, sizeof *points);
  uint64_t seed = 314159265;
  for (int i = 0; i < count; ++i) {
    points[i].x = npb_random(&seed);
    points[i].y = npb_random(&seed);
  }
  benchmark_report_start("growing", class->name, benchmark_threads());
  long neighbours = 0;
  double sum = 0;
  const double start = omp_get_wtime();
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : neighbours, sum)
  for (int i = 0; i < count; ++i) {
    const List near = neighbours_of(points, count, i);
    neighbours += near.count;
    for (int k = 0; k < near.count; ++k)
      sum += sqrt(points[near.points[k]].x + points[near.points[k]].y);
    free(near.points);
  }
  const double seconds = omp_get_wtime() - start;
  printf("neighbours: %ld\nsum: %.12g\n", neighbours, sum);
  free(points);
  return benchmark_report_end(seconds, neighbours == class->neighbours && benchmark_near(sum, class->sum, 1e-9));
}
