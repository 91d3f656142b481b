// barrier: what any thread wrote before it, every thread reads after it; also with one thread that comes
// late.
#include "check.h"

#include <omp.h>
#include <unistd.h>

int main(void) {
  enum { rounds = 60, threads = 4 };
  static int written[threads * 1024]; // each on a page of its own
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    for (int round = 1; round <= rounds; round++) {
      if (round % 20 == me)
        usleep(3000);
      written[me * 1024] = round;
#pragma omp barrier
      for (int other = 0; other < threads; other++)
        CHECK_EQUAL(written[other * 1024], round);
#pragma omp barrier
    }
  }
  return finish();
}
