// A program for tools to look at: regions that are visited 5 and 3 times, and what the arguments ask for besides.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum;

static void often(void) {
  int here = 0;
#pragma omp parallel num_threads(2) reduction(+ : here)
  {
    here += omp_get_thread_num() + 1;
#pragma omp barrier
    here += 1;
  }
  sum += here;
}

static void seldom(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++)
#pragma omp task shared(sum)
#pragma omp atomic
    sum++;
}

/// In a child of fork(), which has one thread.
static int fork_and_work(void) {
  const pid_t child = fork();
  if (child == 0) {
    often();
    exit(sum == 5 * 5 + 3 * 4 + 5 ? 0 : 1); // its tool's end is not told
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

int main(int count, char** words) {
  for (int i = 0; i < 5; i++)
    often();
  for (int i = 0; i < 3; i++)
    seldom();
  if (sum != 5 * 5 + 3 * 4)
    return 1;
  if (count > 1 && strcmp(words[1], "fork") == 0 && fork_and_work() != 0)
    return 2;
  puts("done");
  if (count > 1 && strcmp(words[1], "exit") == 0) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
      exit(0); // while the other thread waits for it
  }
  return 0;
}
