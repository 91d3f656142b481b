// schedule(guided, n): each chunk has n iterations at least but the one with the last iteration (OpenMP 5.1,
// table 2.5).
#include "check.h"

#include <omp.h>

enum { most = 1500 };

static int chunk_of[most]; // each chunk's number: the thread's, and how many it has had

static void check_chunks(int trips, int least) {
  for (int i = 0, begin = 0; i < trips; i++) {
    if (i + 1 < trips && chunk_of[i + 1] == chunk_of[i])
      continue;
    CHECK(i + 1 - begin >= least || i + 1 == trips);
    begin = i + 1;
  }
}

static void one_loop(int trips, int least) {
#pragma omp parallel
  {
    int chunks = 0, after = -2; // the iteration that continues the chunk
#pragma omp for schedule(monotonic : guided, least)
    for (int i = 0; i < trips; i++) {
      if (i != after)
        chunks++;
      after = i + 1;
      chunk_of[i] = omp_get_thread_num() * most + chunks;
    }
  }
  check_chunks(trips, least);
}

int main(void) {
  for (int round = 0; round < 10; round++) {
    for (int trips = 61; trips < 100; trips += 3)
      one_loop(trips, 7);
    one_loop(most, 7);
    one_loop(most, 64);
    one_loop(most, 1);
    one_loop(5, 7);
  }
  return finish();
}
