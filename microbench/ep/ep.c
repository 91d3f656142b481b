/* NAS EP, "embarrassingly parallel": 2^m pairs of uniform deviates become Gaussian pairs by Marsaglia's polar
 * method; their sums, and how many fall in each square annulus, are the result. Written from the
 * specification (NAS Technical Report RNR-94-007). One loop, no data but its reduction: it measures the loop
 * and nothing else.
 *
 * Usage: ep [class] [--visits N]     S: m = 24, W: 25, A: 28
 *
 *   visits  how many times the loop runs, each time with all pairs (1) */
#include "../common/benchmark.h"
#include "../common/npb_random.h"
#include "../common/options.h"

enum { BATCH_LOG2 = 16, ANNULI = 10 };

static const uint64_t SEED = 271828183;

typedef struct {
  char name;
  int pairs_log2;
  double sum_x, sum_y; /* the official results */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4},
};

static const ProblemClass* find_class(char name) {
  const ProblemClass* class = CLASSES;
  while (class->name != name)
    ++class;
  return class;
}

typedef struct {
  double sum_x, sum_y;
  double annuli[ANNULI]; /* counts; doubles are exact far beyond 2^28 */
} Tally;

/* Adds one batch's pairs. Each batch finds its own place in the random sequence, so batches may run in any
 * order. Nothing is stored: a worker's stack may be small. */
static void tally_batch(long batch, Tally* tally) {
  const long pairs = 1L << BATCH_LOG2;
  uint64_t random = npb_random_skip(SEED, 2 * (uint64_t)pairs * (uint64_t)batch);
  for (long i = 0; i < pairs; ++i) {
    const double u = 2.0 * npb_random(&random) - 1.0;
    const double v = 2.0 * npb_random(&random) - 1.0;
    const double square = u * u + v * v;
    if (square > 1.0)
      continue;
    const double scale = sqrt(-2.0 * log(square) / square);
    const double x = u * scale;
    const double y = v * scale;
    tally->annuli[(int)fmax(fabs(x), fabs(y))] += 1.0;
    tally->sum_x += x;
    tally->sum_y += y;
  }
}

static Tally run(int pairs_log2) {
  const long batches = 1L << (pairs_log2 - BATCH_LOG2);
  double sum_x = 0.0, sum_y = 0.0;
  double annuli[ANNULI] = {0.0};
#pragma omp parallel for BENCHMARK_SCHEDULE reduction(+ : sum_x, sum_y, annuli[:ANNULI])
  for (long batch = 0; batch < batches; ++batch) {
    Tally tally = {0};
    tally_batch(batch, &tally);
    sum_x += tally.sum_x;
    sum_y += tally.sum_y;
    for (int i = 0; i < ANNULI; ++i)
      annuli[i] += tally.annuli[i];
  }
  Tally total = {.sum_x = sum_x, .sum_y = sum_y};
  for (int i = 0; i < ANNULI; ++i)
    total.annuli[i] = annuli[i];
  return total;
}

static bool is_right(const ProblemClass* class, const Tally* result) {
  const double tolerance = 1e-8;
  return benchmark_near(result->sum_x, class->sum_x, tolerance) &&
         benchmark_near(result->sum_y, class->sum_y, tolerance);
}

static double count_gaussian_pairs(const Tally* result) {
  double pairs = 0.0;
  for (int i = 0; i < ANNULI; ++i)
    pairs += result->annuli[i];
  return pairs;
}

int main(int argc, char** argv) {
  const long visits = benchmark_number_option(&argc, argv, "--visits", 1, 1, 1L << 40);
  const ProblemClass* class = find_class(benchmark_class(argc, argv, "SWA", " [--visits N]"));
  benchmark_report_start("ep", class->name, benchmark_threads());

  Tally result = {0};
  double seconds = 0.0;
  bool verified = true;
  for (long visit = 0; visit < visits; ++visit) {
    const double start = omp_get_wtime();
    result = run(class->pairs_log2);
    const double visit_seconds = omp_get_wtime() - start;
    printf("visit %ld: %.6f s\n", visit + 1, visit_seconds);
    seconds += visit_seconds;
    verified = verified && is_right(class, &result);
  }
  printf("sums: %.15e %.15e\n", result.sum_x, result.sum_y);
  printf("gaussian pairs: %.0f\n", count_gaussian_pairs(&result));
  return benchmark_report_end(seconds, verified);
}
