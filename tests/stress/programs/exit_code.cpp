// exit() inside a region, by a thread of another node: the program ends with its code and what was printed
// arrives.

// exit: 37
// stdout: 6 lines of (thread [0-3] is here|at exit|static object destroyed)
#include "stress.hpp"

#include <omp.h>

namespace {

struct Static {
  ~Static() { puts("static object destroyed"); }
};
Static object;

} // namespace

int main() {
  atexit([] { puts("at exit"); });
#pragma omp parallel num_threads(4)
  {
    printf("thread %d is here\n", omp_get_thread_num());
#pragma omp barrier
    if (omp_get_thread_num() == 3)
      exit(37);
    while (true)
      pause();
  }
}
