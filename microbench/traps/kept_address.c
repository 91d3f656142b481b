/* Trap: addresses of threadprivate variables, kept in a shared array. The owner, other threads and the serial part go
 * through them in later regions.
 *
 * Usage: trap_kept_address [--rounds N] [--steps N] */
#include "trap.h"

static uint64_t state;
#pragma omp threadprivate(state)

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int members = benchmark_threads();
  uint64_t** kept = (uint64_t**)benchmark_allocate((size_t)members, sizeof(uint64_t*));
  long wrong = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    state = trap_seed(me);
    if (me < members)
      kept[me] = &state;
  }
  for (long round = 1; round <= settings.rounds; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), neighbour = (me + 1) % members;
      *kept[me] = trap_advance(*kept[me], settings.steps);
      if (state != *kept[me])
        trap_count(&wrong);
#pragma omp barrier
      if (*kept[neighbour] != trap_expected(neighbour, round, settings.steps))
        trap_count(&wrong);
    }
    for (int i = 0; i < members; ++i)
      wrong += *kept[i] != trap_expected(i, round, settings.steps);
  }
  free(kept);
  return trap_report("trap_kept_address", members, omp_get_wtime() - start, wrong);
}
