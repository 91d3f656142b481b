// Locks that one thread takes and another one releases, on whichever nodes those are: the first reader keeps writers
// out, the last one lets them in. OpenMP wants one task to do both; runtimes do not look, and programs count on that.
#include "stress.hpp"

#include <omp.h>

namespace {

constexpr int threads = 8, rounds = 60;

omp_lock_t counting, writing;
int readers, written, twice_written;

void read_once() {
  omp_set_lock(&counting);
  if (readers++ == 0)
    omp_set_lock(&writing);
  omp_unset_lock(&counting);
  CHECK_EQUAL(2 * written, twice_written);
  omp_set_lock(&counting);
  if (--readers == 0)
    omp_unset_lock(&writing);
  omp_unset_lock(&counting);
}

void write_once() {
  omp_set_lock(&writing);
  ++written;
  twice_written += 2;
  omp_unset_lock(&writing);
}

} // namespace

int main() {
  omp_init_lock(&counting);
  omp_init_lock(&writing);
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round)
    if ((round + omp_get_thread_num()) % 3 == 0)
      write_once();
    else
      read_once();
  CHECK_EQUAL(written, threads * rounds / 3);
  CHECK_EQUAL(readers, 0);

  // Taken by each thread of a team in turn, released by the one that has met it.
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == round % threads)
      omp_set_lock(&writing);
    CHECK_EQUAL(omp_test_lock(&writing), 0);
    omp_unset_lock(&writing);
    omp_set_lock(&writing); // by this thread, and released by one of the team
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == round % threads)
      omp_unset_lock(&writing);
  }
  CHECK_EQUAL(omp_test_lock(&writing), 1);
  omp_unset_lock(&writing);
  omp_destroy_lock(&writing);
  omp_destroy_lock(&counting);
}
