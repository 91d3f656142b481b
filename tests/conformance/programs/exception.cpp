// Exceptions thrown and caught inside a region, through frames and by iterations, on every thread.
#include "check.h"

#include <omp.h>
#include <stdexcept>
#include <string>

namespace {

struct Guard {
  int& count;
  ~Guard() { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }
};

void descend(int depth, int thread, int& unwound) {
  Guard guard{unwound};
  if (depth == 0)
    throw std::runtime_error("thread " + std::to_string(thread));
  descend(depth - 1, thread, unwound);
}

} // namespace

int main() {
  int caught = 0, unwound = 0, in_loop = 0;
#pragma omp parallel num_threads(4)
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < 5; ++round)
      try {
        descend(4, me, unwound);
      } catch (const std::exception& error) {
        CHECK(error.what() == "thread " + std::to_string(me));
        raise_by_one(&caught);
      }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 40; ++i)
      try {
        if (i % 4 == 0)
          throw i;
      } catch (int thrown) {
        CHECK_EQUAL(thrown, i);
        raise_by_one(&in_loop);
      }
  }
  CHECK_EQUAL(caught, 20);
  CHECK_EQUAL(unwound, 100);
  CHECK_EQUAL(in_loop, 10);
  return finish();
}
