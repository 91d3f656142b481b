/* Trap: omp_get_max_threads() entries, all of which the serial part reads, although only the team wrote them. Entries
 * are spoilt before each region: one that nobody wrote shows.
 *
 * Usage: trap_max_threads [--rounds N] [--steps N] */
#include "trap.h"

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int entries = omp_get_max_threads();
  uint64_t* result = (uint64_t*)benchmark_allocate((size_t)entries, sizeof(uint64_t));

  long wrong = 0;
  for (long round = 0; round < settings.rounds; ++round) {
    for (int i = 0; i < entries; ++i)
      result[i] = UINT64_MAX;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      if (me < entries)
        result[me] = trap_advance(trap_seed(me), settings.steps + round);
      else
        trap_count(&wrong);
    }
    for (int i = 0; i < entries; ++i)
      wrong += result[i] != trap_expected(i, 1, settings.steps + round);
    wrong += omp_get_max_threads() != entries;
  }
  free(result);
  return trap_report("trap_max_threads", entries, omp_get_wtime() - start, wrong);
}
