/* One construct of OpenMP around work that shares nothing: what a construct itself costs where its threads are executed
 * on several nodes. Each unit computes for a fraction of a millisecond and has a result that depends on its number
 * only, so that whatever executes them their sum is known.
 *
 * Usage: constructs CONSTRUCT [--units N] [--steps N] [--results shared|nowhere]
 *   --units    how often the work is done (default 4096), in groups of 8 where a construct is met many times
 *   --steps    what a unit takes: a multiplication that needs the last one's result (default 200,000)
 *   --results  where those that add nothing up leave their results: side by side in an array, or nowhere (default) */
#include "../common/benchmark.h"
#include "../common/options.h"

enum { GROUP = 8 };

static long units, steps;
static uint64_t* results; /* null: nowhere */

static uint64_t mix(uint64_t number) {
  number = (number ^ number >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  return number ^ number >> 29;
}

static volatile bool has_met; /* a number that no compiler knows not to come: the work has to be done */

static uint64_t unit(long number) {
  uint64_t value = (uint64_t)number;
  for (long step = 0; step < steps; ++step)
    value = (value ^ value >> 27) * UINT64_C(0x9e3779b97f4a7c15) + 1;
  if (value == 1)
    has_met = true;
  return mix((uint64_t)number);
}

static uint64_t leave(long number) {
  const uint64_t result = unit(number);
  if (results)
    results[number] = result;
  return result;
}

/* ---- loops */

static uint64_t static_loop(void) {
  uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < units; ++i)
    sum += unit(i);
  return sum;
}

static uint64_t dynamic_loop(void) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (long i = 0; i < units; ++i)
    sum += unit(i);
  return sum;
}

static uint64_t guided_loop(void) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (long i = 0; i < units; ++i)
    sum += unit(i);
  return sum;
}

static uint64_t ordered_loop(void) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(static, 1) ordered
  for (long i = 0; i < units; ++i) {
    const uint64_t result = unit(i);
#pragma omp ordered
    sum += result;
  }
  return sum;
}

static uint64_t doacross_loop(void) {
  uint64_t sum = 0;
#pragma omp parallel for schedule(static, 1) ordered(1)
  for (long i = 0; i < units; ++i) {
    const uint64_t result = unit(i);
#pragma omp ordered depend(sink : i - 1)
    sum += result;
#pragma omp ordered depend(source)
  }
  return sum;
}

/* ---- regions, and what threads meet at */

static uint64_t regions(void) {
  uint64_t sum = 0;
  for (long first = 0; first < units; first += GROUP) {
#pragma omp parallel for reduction(+ : sum)
    for (long i = first; i < first + GROUP; ++i)
      sum += leave(i);
  }
  return sum;
}

static uint64_t barriers(void) {
  uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (long first = 0; first < units; first += GROUP) {
#pragma omp for
    for (long i = first; i < first + GROUP; ++i)
      sum += leave(i);
#pragma omp barrier
  }
  return sum;
}

static uint64_t singles(void) {
  uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (long i = 0; i < units; ++i) {
#pragma omp single nowait
    sum += leave(i);
  }
  return sum;
}

static uint64_t sections(void) {
  uint64_t sum = 0;
  for (long first = 0; first < units; first += GROUP) {
#pragma omp parallel sections reduction(+ : sum)
    {
#pragma omp section
      for (long i = first; i < first + GROUP / 2; ++i)
        sum += leave(i);
#pragma omp section
      for (long i = first + GROUP / 2; i < first + GROUP; ++i)
        sum += leave(i);
    }
  }
  return sum;
}

static uint64_t nested_regions(void) {
  uint64_t sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int half = 0; half < 2; ++half) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (long i = half * (units / 2); i < (half + 1) * (units / 2); ++i)
      sum += unit(i);
  }
  return sum;
}

/* ---- mutual exclusion */

static uint64_t critical_sections(void) {
  uint64_t sum = 0;
#pragma omp parallel for
  for (long i = 0; i < units; ++i) {
    const uint64_t result = unit(i);
#pragma omp critical
    sum += result;
  }
  return sum;
}

static uint64_t atomic_updates(void) {
  uint64_t sum = 0;
#pragma omp parallel for
  for (long i = 0; i < units; ++i) {
    const uint64_t result = unit(i);
#pragma omp atomic
    sum += result;
  }
  return sum;
}

static uint64_t locks(void) {
  uint64_t sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (long i = 0; i < units; ++i) {
    const uint64_t result = unit(i);
    omp_set_lock(&lock);
    sum += result;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return sum;
}

/* ---- tasks */

/* What tasks have left. Where that is nothing, nobody knows whether each was executed. */
static uint64_t sum_of_results(void) {
  uint64_t sum = 0;
  for (long i = 0; i < units; ++i)
    sum += results ? results[i] : mix((uint64_t)i);
  return sum;
}

static uint64_t tasks(void) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < units; ++i) {
#pragma omp task
    leave(i);
  }
  return sum_of_results();
}

static void divide(long first, long end) {
  if (end - first == 1) {
    leave(first);
    return;
  }
#pragma omp task
  divide(first, first + (end - first) / 2);
#pragma omp task
  divide(first + (end - first) / 2, end);
#pragma omp taskwait
}

static uint64_t recursion(void) {
#pragma omp parallel
#pragma omp single
  divide(0, units);
  return sum_of_results();
}

static uint64_t add_up(long first, long end) {
  if (end - first == 1)
    return unit(first);
  uint64_t one;
#pragma omp task shared(one)
  one = add_up(first, first + (end - first) / 2);
  const uint64_t other = add_up(first + (end - first) / 2, end);
#pragma omp taskwait
  return one + other;
}

static uint64_t sums_by_recursion(void) {
  uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
  sum = add_up(0, units);
  return sum;
}

static uint64_t taskloop(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (long i = 0; i < units; ++i)
    leave(i);
  return sum_of_results();
}

static uint64_t taskloop_of_ones(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (long i = 0; i < units; ++i)
    leave(i);
  return sum_of_results();
}

static uint64_t taskloop_reduction(void) {
  uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(+ : sum)
  for (long i = 0; i < units; ++i)
    sum += unit(i);
  return sum;
}

static uint64_t task_reduction(void) {
  uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (long i = 0; i < units; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += unit(i);
  }
  return sum;
}

static uint64_t taskgroups(void) {
#pragma omp parallel
#pragma omp single
  for (long first = 0; first < units; first += GROUP) {
#pragma omp taskgroup
    for (long i = first; i < first + GROUP; ++i) {
#pragma omp task
      leave(i);
    }
  }
  return sum_of_results();
}

static uint64_t dependences(void) {
  static char chain[GROUP];
  (void)chain; /* gcc: only its addresses are used */
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < units; ++i) {
#pragma omp task depend(inout : chain[i % GROUP])
    leave(i);
  }
  return sum_of_results();
}

/* ---- */

static const struct {
  const char* name;
  uint64_t (*execute)(void);
} CONSTRUCTS[] = {{"static", static_loop},
                  {"dynamic", dynamic_loop},
                  {"guided", guided_loop},
                  {"ordered", ordered_loop},
                  {"doacross", doacross_loop},
                  {"regions", regions},
                  {"barriers", barriers},
                  {"singles", singles},
                  {"sections", sections},
                  {"nested", nested_regions},
                  {"critical", critical_sections},
                  {"atomic", atomic_updates},
                  {"locks", locks},
                  {"tasks", tasks},
                  {"recursion", recursion},
                  {"sums_by_recursion", sums_by_recursion},
                  {"taskloop", taskloop},
                  {"taskloop_of_ones", taskloop_of_ones},
                  {"taskloop_reduction", taskloop_reduction},
                  {"task_reduction", task_reduction},
                  {"taskgroups", taskgroups},
                  {"dependences", dependences}};

int main(int argc, char** argv) {
  units = benchmark_number_option(&argc, argv, "--units", 4096, GROUP, 100000000) / GROUP * GROUP;
  steps = benchmark_number_option(&argc, argv, "--steps", 200000, 0, 1000000000);
  const char* const where = benchmark_word_option(&argc, argv, "--results", "nowhere");
  const int count = sizeof CONSTRUCTS / sizeof CONSTRUCTS[0];
  int chosen = 0;
  while (chosen < count && (argc != 2 || strcmp(argv[1], CONSTRUCTS[chosen].name) != 0))
    ++chosen;
  const bool shared = strcmp(where, "shared") == 0;
  if (chosen == count || (!shared && strcmp(where, "nowhere") != 0)) {
    fprintf(stderr, "usage: %s CONSTRUCT [--units N] [--steps N] [--results shared|nowhere], CONSTRUCT one of",
            argv[0]);
    for (int i = 0; i < count; ++i)
      fprintf(stderr, " %s", CONSTRUCTS[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  if (shared) {
    results = benchmark_allocate((size_t)units, sizeof *results);
    memset(results, 0, (size_t)units * sizeof *results);
  }
  printf("benchmark: constructs\nconstruct: %s\nthreads: %d\n", CONSTRUCTS[chosen].name, benchmark_threads());
  uint64_t expected = 0;
  for (long i = 0; i < units; ++i)
    expected += mix((uint64_t)i);
  const double start = omp_get_wtime();
  const uint64_t sum = CONSTRUCTS[chosen].execute();
  const double seconds = omp_get_wtime() - start;
  printf("checksum: %016llx\n", (unsigned long long)sum);
  free(results);
  return benchmark_report_end(seconds, sum == expected && !has_met);
}
