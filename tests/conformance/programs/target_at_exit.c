// The end of the program waits for target tasks, and for tasks behind them, that nobody has waited for.
// stdout: 2 lines of (target|task) done
#include "check.h"

#include <unistd.h>

static int order;

int main(void) {
#pragma omp target map(tofrom : order) depend(out : order) nowait
  {
    usleep(100000); // main is at its end before that
    puts("target done");
    fflush(stdout);
  }
#pragma omp task depend(in : order)
  {
    puts("task done");
    fflush(stdout);
  }
  return finish();
}
