/* Trap: threads that spin on flags of their own. A token goes from thread to thread through a pipeline: block `b` of a
 * thread follows block `b` of the one before it. Nothing tells the runtime that a thread waits, so threads that share a
 * CPU lose a time slice at each hand-over.
 *
 * Usage: trap_flags [--rounds N] [--steps N] */
#include "trap.h"

enum { BLOCKS = 4, LINE = 64 };

typedef struct {
  long done;      /* blocks so far; written by its thread with release */
  uint64_t token; /* after that many */
  char padding[LINE - sizeof(long) - sizeof(uint64_t)];
} Stage;

static void await(const long* done, long count) {
  while (__atomic_load_n(done, __ATOMIC_ACQUIRE) < count)
    ;
}

/* The last stage's token has been through all of them. */
static void run_pipeline(Stage* stages, long blocks, long steps) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    Stage* mine = &stages[me];
    for (long block = 1; block <= blocks; ++block) {
      uint64_t token = mine->token;
      if (me > 0) {
        await(&stages[me - 1].done, block);
        token ^= trap_seed(me - 1) * (uint64_t)block;
      }
      mine->token = trap_advance(token & NPB_MODULUS_MASK, steps);
      __atomic_store_n(&mine->done, block, __ATOMIC_RELEASE);
    }
  }
}

static uint64_t expected_token(int number, long blocks, long steps) {
  uint64_t token = trap_seed(number);
  for (long block = 1; block <= blocks; ++block) {
    if (number > 0)
      token ^= trap_seed(number - 1) * (uint64_t)block;
    token = npb_random_skip(token & NPB_MODULUS_MASK, (uint64_t)steps);
  }
  return token;
}

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int members = benchmark_threads();
  const long steps = settings.steps / BLOCKS + 1;
  Stage* stages = (Stage*)benchmark_allocate((size_t)members, sizeof(Stage));
  long wrong = 0;
  for (long round = 0; round < settings.rounds; ++round) {
    for (int i = 0; i < members; ++i)
      stages[i] = (Stage){.done = 0, .token = trap_seed(i)};
    run_pipeline(stages, BLOCKS, steps);
    for (int i = 0; i < members; ++i)
      wrong += stages[i].token != expected_token(i, BLOCKS, steps);
  }
  free(stages);
  return trap_report("trap_flags", members, omp_get_wtime() - start, wrong);
}
