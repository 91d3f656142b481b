// Members of a team wait, by themselves, until others have executed tasks: a thread at the end of its part executes
// them.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { tasks = 4, rounds = 20 };

static int done;

static int finished(void) {
  int seen;
#pragma omp atomic read
  seen = done;
  return seen;
}

static void wait_for(int count) {
  while (finished() < count) {
    const double begin = omp_get_wtime();
    while (omp_get_wtime() - begin < 1e-4)
      ;
  }
}

static void generate(void) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task
    {
#pragma omp atomic
      done++;
    }
  }
}

int main(void) {
  for (int round = 0; round < rounds; round++) {
    const int threads = omp_get_max_threads();
    for (int generator = 0; generator < (threads < 4 ? threads : 4); generator++) {
      done = 0;
#pragma omp parallel
      {
        if (omp_get_thread_num() == generator)
          generate();
        else if (omp_get_thread_num() % 2 == 0)
          wait_for(tasks);
      }
      if (done != tasks) {
        printf("%d tasks of %d were executed\n", done, tasks);
        return EXIT_FAILURE;
      }
      done = 0;
      // The generator waits as well: any other thread that comes to the barrier executes its tasks.
#pragma omp parallel
      {
        if (omp_get_thread_num() == generator) {
          generate();
          if (omp_get_num_threads() > 1)
            wait_for(tasks);
        }
#pragma omp barrier
      }
      if (done != tasks) {
        printf("%d tasks of %d were executed before the barrier\n", done, tasks);
        return EXIT_FAILURE;
      }
    }
  }
  return EXIT_SUCCESS;
}
