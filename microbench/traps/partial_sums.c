/* Trap: prefix sums in two regions. In the first each thread sums its part of a vector, divided by hand by thread
 * number and team size; in the next it begins with the sums of all threads before it. The second team has to be as
 * large as the first.
 *
 * Usage: trap_partial_sums [--rounds N] [--steps N]     steps: elements of the vector */
#include "trap.h"

/* Wraps around, as unsigned sums do. */
static uint64_t element(long i, long round) { return (uint64_t)i * NPB_MULTIPLIER + (uint64_t)round; }

static long first_of_part(long length, int number, int members) { return length * number / members; }

static void sum_parts(const uint64_t* vector, long length, uint64_t* partial) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), members = omp_get_num_threads();
    const long end = first_of_part(length, me + 1, members);
    uint64_t sum = 0;
    for (long i = first_of_part(length, me, members); i < end; ++i)
      sum += vector[i];
    partial[me] = sum;
  }
}

static void accumulate(uint64_t* vector, long length, const uint64_t* partial) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), members = omp_get_num_threads();
    const long end = first_of_part(length, me + 1, members);
    uint64_t sum = 0;
    for (int before = 0; before < me; ++before)
      sum += partial[before];
    for (long i = first_of_part(length, me, members); i < end; ++i)
      vector[i] = sum += vector[i];
  }
}

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int members = omp_get_max_threads();
  const long length = settings.steps * members;
  uint64_t* vector = (uint64_t*)benchmark_allocate((size_t)length, sizeof(uint64_t));
  uint64_t* partial = (uint64_t*)benchmark_allocate((size_t)members, sizeof(uint64_t));

  long wrong = 0;
  for (long round = 0; round < settings.rounds; ++round) {
#pragma omp parallel for
    for (long i = 0; i < length; ++i)
      vector[i] = element(i, round);
    sum_parts(vector, length, partial);
    accumulate(vector, length, partial);
    uint64_t sum = 0;
    for (long i = 0; i < length; ++i)
      wrong += vector[i] != (sum += element(i, round));
  }
  free(vector);
  free(partial);
  return trap_report("trap_partial_sums", members, omp_get_wtime() - start, wrong);
}
