/* A loop whose iterations are of two kinds, after the microbenchmark of the libHetMP paper's section 5.7:
 * cache-bound ones, which several nodes can only run with many page faults, and compute-bound ones, which
 * take about as long and gain from every node. How much of each, and in which order, are parameters.
 *
 * Usage: irregular [--compute PERCENT] [--order spread|halves] [--first cache|compute] [--iterations N]
 * [--visits N]
 *                  [--work N] [--pages N]
 *
 *   compute     how many of the iterations are compute-bound, in percent (default 50)
 *
 *   order       spread: both kinds evenly mixed (the default); halves: all of one kind, then all of the
 * other, so that at 50 percent the mix changes half-way
 *
 *   first       with halves: the kind that comes first (cache)
 *
 *   iterations  of one visit of the loop (4096)
 *
 *   visits      how many times the loop runs (12)
 *
 *   work        how long an iteration takes, in about microseconds of a core of 2020 (100)
 *
 *   pages       how many pages a cache-bound iteration writes to (16) */
#include "../common/benchmark.h"
#include "../common/options.h"
#include "kernels.h"

typedef struct {
  long compute, iterations, visits, work, pages;
  bool halves, compute_first;
} Settings;

static long compute_bound_before(const Settings* settings, long iteration) {
  return (long)((__int128)iteration * settings->compute / 100);
}

/* Spread: the kinds take turns as evenly as whole iterations can (any run of iterations has its share of each
 * kind, give or take one). */
static bool is_compute_bound(const Settings* settings, long iteration) {
  if (!settings->halves)
    return compute_bound_before(settings, iteration + 1) != compute_bound_before(settings, iteration);
  const long count = compute_bound_before(settings, settings->iterations);
  return settings->compute_first ? iteration < count : iteration >= settings->iterations - count;
}

static uint64_t visit_loop(const Settings* shared_settings, const Memory* shared_memory, long visit) {
  uint64_t sum = 0;
#pragma omp parallel
  {
    /* Copies, for each thread: the originals lie on the stack of a thread that writes beside them all the
     * time. */
    const Settings settings = *shared_settings;
    const Memory memory = *shared_memory;
#pragma omp for BENCHMARK_SCHEDULE reduction(+ : sum)
    for (long i = 0; i < settings.iterations; ++i)
      sum += is_compute_bound(&settings, i) ? run_compute_bound(i, visit, settings.work)
                                            : run_cache_bound(&memory, i, visit, settings.work);
  }
  return sum;
}

/* Serial, between visits: what the visit must have returned. `expected_cells` gets what it must have added to
 * the cells of each iteration. */
static uint64_t expect_visit(const Settings* settings, long visit, uint64_t* expected_cells) {
  uint64_t sum = 0;
  for (long i = 0; i < settings->iterations; ++i) {
    if (is_compute_bound(settings, i)) {
      sum += expected_compute_bound(i, visit, settings->work);
    } else {
      const uint64_t value = expected_cache_bound(i, visit, settings->work);
      expected_cells[i] += value;
      sum += value;
    }
  }
  return sum;
}

static long count_wrong_cells(const Memory* memory, const uint64_t* expected) {
  long wrong = 0;
  for (long i = 0; i < memory->iterations; ++i)
    for (long column = 0; column < memory->columns; ++column)
      wrong += *cell_of(memory, i, column) != expected[i];
  return wrong;
}

static bool read_choice(int* argc, char** argv, const char* name, const char* usual, const char* other) {
  const char* word = benchmark_word_option(argc, argv, name, usual);
  if (strcmp(word, usual) != 0 && strcmp(word, other) != 0) {
    fprintf(stderr, "%s: %s %s: neither %s nor %s\n", argv[0], name, word, usual, other);
    exit(2);
  }
  return strcmp(word, other) == 0;
}

static Settings read_settings(int argc, char** argv) {
  const Settings settings = {.compute = benchmark_number_option(&argc, argv, "--compute", 50, 0, 100),
                             .iterations = benchmark_number_option(&argc, argv, "--iterations", 4096, 1, 1L << 32),
                             .visits = benchmark_number_option(&argc, argv, "--visits", 12, 1, 1L << 20),
                             .work = benchmark_number_option(&argc, argv, "--work", 100, 1, 1L << 20),
                             .pages = benchmark_number_option(&argc, argv, "--pages", 16, 1, 1L << 12),
                             .halves = read_choice(&argc, argv, "--order", "spread", "halves"),
                             .compute_first = read_choice(&argc, argv, "--first", "cache", "compute")};
  if (argc != 1) {
    fprintf(stderr,
            "usage: %s [--compute PERCENT] [--order spread|halves] [--first cache|compute] [--iterations N] "
            "[--visits N] [--work N] [--pages N]\n",
            argv[0]);
    exit(2);
  }
  return settings;
}

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  Memory memory = make_memory(settings.iterations, settings.pages);
  uint64_t* expected_cells = benchmark_allocate((size_t)settings.iterations, sizeof(uint64_t));
  memset(expected_cells, 0, (size_t)settings.iterations * sizeof(uint64_t));
  benchmark_report_start("irregular", '-', benchmark_threads());
  printf("compute-bound: %ld of %ld\norder: %s%s\n", compute_bound_before(&settings, settings.iterations),
         settings.iterations, settings.halves ? "halves" : "spread",
         !settings.halves         ? ""
         : settings.compute_first ? ", compute first"
                                  : ", cache first");
  double seconds = 0.0;
  long wrong = 0;
  for (long visit = 0; visit < settings.visits; ++visit) {
    const double start = omp_get_wtime();
    const uint64_t sum = visit_loop(&settings, &memory, visit);
    const double visit_seconds = omp_get_wtime() - start;
    printf("visit %ld: %.6f s\n", visit + 1, visit_seconds);
    seconds += visit_seconds;
    wrong += sum != expect_visit(&settings, visit, expected_cells);
    wrong += count_wrong_cells(&memory, expected_cells); /* as a program's serial part: reads all cells */
  }
  printf("wrong: %ld\n", wrong);
  free(expected_cells);
  free_memory(&memory);
  return benchmark_report_end(seconds, wrong == 0);
}
