// Every thread prints lines: all arrive, whole, whatever process they come from.
// stdout: 2000 lines of thread [0-3] line [0-9]+ of a text that crosses the ends of buffers now and then
#include "check.h"

#include <omp.h>

int main(void) {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 500; i++)
    printf("thread %d line %d of a text that crosses the ends of buffers now and then\n", omp_get_thread_num(), i);
  return finish();
}
