/* Trap: an array sized by the first region's team, indexed by thread number in every later region. A team that grows
 * writes beyond its end, one that shrinks leaves entries behind.
 *
 * Usage: trap_team_array [--rounds N] [--steps N] */
#include "trap.h"

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int members = benchmark_threads();
  uint64_t* state = (uint64_t*)benchmark_allocate((size_t)members, sizeof(uint64_t));
  for (int i = 0; i < members; ++i)
    state[i] = trap_seed(i);

  long wrong = 0;
  for (long round = 1; round <= settings.rounds; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      if (me < members && omp_get_num_threads() == members)
        state[me] = trap_advance(state[me], settings.steps);
      else
        trap_count(&wrong);
    }
    for (int i = 0; i < members; ++i)
      wrong += state[i] != trap_expected(i, round, settings.steps);
  }
  free(state);
  return trap_report("trap_team_array", members, omp_get_wtime() - start, wrong);
}
