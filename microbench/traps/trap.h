/* What the traps share: small programs that lean on what OpenMP promises about threads' numbers, and that a runtime
 * breaks when it moves threads or shrinks teams carelessly. Each runs many short regions with serial parts in between.
 *
 * Their work is the random generator of common/npb_random.h, step by step: a state is checked by skipping ahead, which
 * costs nothing. All teams together do the same work, however large they are.
 *
 * Options: --rounds N and --steps N, the generator's steps in a region, which its threads share. */
#pragma once

#include "../common/benchmark.h"
#include "../common/npb_random.h"
#include "../common/options.h"

typedef struct {
  long rounds; /* pairs of a region and a serial part */
  long steps;  /* of the generator, for each thread and region: its share of what the option says */
} TrapSettings;

static inline TrapSettings trap_settings(int argc, char** argv) {
  const TrapSettings settings = {benchmark_number_option(&argc, argv, "--rounds", 40, 1, 1L << 30),
                                 benchmark_number_option(&argc, argv, "--steps", 80000, 1, 1L << 40)};
  if (argc != 1) {
    fprintf(stderr, "usage: %s [--rounds N] [--steps N]\n", argv[0]);
    exit(2);
  }
  return (TrapSettings){settings.rounds, settings.steps / omp_get_max_threads() + 1};
}

/* Where the sequence of thread `number` begins. Odd, so that no sequence ends in zeros. */
static inline uint64_t trap_seed(int number) { return 271828183 + 2 * (uint64_t)number; }

static inline uint64_t trap_advance(uint64_t state, long steps) {
  for (long i = 0; i < steps; ++i) {
    state = (state * NPB_MULTIPLIER) & NPB_MODULUS_MASK;
    __asm__("" : "+r"(state)); /* one step after the other: compilers know how to skip ahead, too */
  }
  return state;
}

/* What thread `number` has after so many rounds. */
static inline uint64_t trap_expected(int number, long rounds, long steps) {
  return npb_random_skip(trap_seed(number), (uint64_t)rounds * (uint64_t)steps);
}

/* A counter that threads may raise, without the constructs under test. */
static inline void trap_count(long* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static inline int trap_report(const char* name, int threads, double seconds, long wrong) {
  benchmark_report_start(name, '-', threads);
  printf("wrong: %ld\n", wrong);
  return benchmark_report_end(seconds, wrong == 0);
}
