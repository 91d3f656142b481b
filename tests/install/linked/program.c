// A sum by a team, tasks, a dynamic loop.
#include <omp.h>
#include <stdio.h>

int main(void) {
  enum { trips = 1000 };
  long sum = 0, squares = 0;
  int tasks = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  sum += omp_get_thread_num() + 1;
#pragma omp parallel for schedule(dynamic, 7) num_threads(3) reduction(+ : squares)
  for (long i = 0; i < trips; i++)
    squares += i * i;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task shared(tasks)
#pragma omp atomic
    tasks++;
  }
  if (sum != 6 || squares != 332833500 || tasks != 50)
    return 1;
  puts("done");
  return 0;
}
