/* The integral of a function with steep peaks, by Simpson's rule on ever smaller halves: each half that is not smooth
 * yet is a task, which waits for the two that it generates. Most of the work lies near the peaks, so tasks of the same
 * depth take from microseconds to a second. They share nothing but what they return to each other.
 *
 * Usage: quadrature [class]     of how many peaks, and how exact */
#include "../common/benchmark.h"

typedef struct {
  char name;
  int peaks;
  double tolerance;
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 12, 1e-8}, {'W', 24, 1e-11}, {'A', 24, 1e-13}, {'B', 24, 1e-14}};
static const double WIDTH = 1e-4;         /* of a peak */
static const double LEAST_DIVIDED = 1e-5; /* shorter pieces are one task's */

static int peaks;

static double centre(int peak) { return (peak + 0.37) / peaks * (0.5 + 0.5 * peak / peaks); }

static double value(double x) {
  double sum = 0;
  for (int peak = 0; peak < peaks; ++peak) {
    const double from = x - centre(peak);
    sum += WIDTH / (from * from + WIDTH * WIDTH);
  }
  return sum;
}

static double exact(void) {
  double sum = 0;
  for (int peak = 0; peak < peaks; ++peak)
    sum += atan((1 - centre(peak)) / WIDTH) + atan(centre(peak) / WIDTH);
  return sum;
}

static double simpson(double length, double begin, double middle, double end) {
  return length / 6 * (begin + 4 * middle + end);
}

/* From `from` on, of this length; the values at its ends and in its middle, and what they give. */
static double integral(double from, double length, double begin, double middle, double end, double whole,
                       double tolerance) {
  const double half = length / 2, first = value(from + length / 4), second = value(from + 3 * length / 4);
  const double left = simpson(half, begin, first, middle), right = simpson(half, middle, second, end);
  const double doubt = left + right - whole;
  if (fabs(doubt) < 15 * tolerance || length < 1e-12)
    return left + right + doubt / 15;
  if (length < LEAST_DIVIDED)
    return integral(from, half, begin, first, middle, left, tolerance / 2) +
           integral(from + half, half, middle, second, end, right, tolerance / 2);
  double left_integral, right_integral;
#pragma omp task shared(left_integral)
  left_integral = integral(from, half, begin, first, middle, left, tolerance / 2);
#pragma omp task shared(right_integral)
  right_integral = integral(from + half, half, middle, second, end, right, tolerance / 2);
#pragma omp taskwait
  return left_integral + right_integral;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  peaks = class->peaks;
  benchmark_report_start("quadrature", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  double found = 0;
#pragma omp parallel
#pragma omp single
  {
    const double begin = value(0), middle = value(0.5), end = value(1);
    found = integral(0, 1, begin, middle, end, simpson(1, begin, middle, end), class->tolerance);
  }
  const double seconds = omp_get_wtime() - start;
  printf("integral: %.12f\n", found);
  return benchmark_report_end(seconds, fabs(found - exact()) < 1e-6 * exact());
}
