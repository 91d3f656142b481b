/* Trap: threadprivate values that belong to a thread's number and are kept from region to region.
 *
 * Usage: trap_threadprivate [--rounds N] [--steps N] */
#include "trap.h"

enum { HISTORY = 1024 };

static uint64_t state;
static int visits;
static uint64_t history[HISTORY]; /* of this thread's states: more than a page */
#pragma omp threadprivate(state, visits, history)

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  int members = 0;
  long wrong = 0;
#pragma omp parallel
  {
    state = trap_seed(omp_get_thread_num());
#pragma omp single
    members = omp_get_num_threads();
  }
  for (long round = 0; round < settings.rounds; ++round) {
#pragma omp parallel
    {
      if (visits++ != round || omp_get_num_threads() != members)
        trap_count(&wrong);
      state = trap_advance(state, settings.steps);
      history[round % HISTORY] = state;
    }
    wrong += state != trap_expected(0, round + 1, settings.steps); /* the primary's, in the serial part */
  }
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const long first = settings.rounds > HISTORY ? settings.rounds - HISTORY : 0;
    for (long round = first; round < settings.rounds; ++round)
      if (history[round % HISTORY] != trap_expected(me, round + 1, settings.steps))
        trap_count(&wrong);
  }
  return trap_report("trap_threadprivate", members, omp_get_wtime() - start, wrong);
}
