// The program's own fork() where there may be several nodes: children see memory as it was, whoever wrote it last, and
// go on by themselves. Says "right", or what is wrong.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { count = 1 << 18, children = 8, threads = 4 };
static long global_values[count];

/// Each thread writes its part, and a block of its own.
static void fill(long* values, long** blocks, long salt) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < count; ++i)
      values[i] = global_values[i] = i + salt;
    const int own = omp_get_thread_num();
    if (!blocks[own])
      blocks[own] = malloc(1000 * sizeof(long));
    for (int i = 0; i < 1000; ++i)
      blocks[own][i] = own + salt;
  }
}

static long sum_all(const long* values, long** blocks) {
  long sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i] + global_values[i];
  for (int i = 0; i < threads; ++i)
    for (int k = 0; k < 1000; ++k)
      sum += blocks[i][k];
  return sum;
}

static long expected(long salt) {
  return (long)count * (count - 1) + 2 * salt * count + 1000L * (0 + 1 + 2 + 3) + 1000L * threads * salt;
}

/// What a child does besides reading: memory of its own, regions, the parent's memory changed and freed.
static int live(long* values, long** blocks, long salt) {
  int wrong = sum_all(values, blocks) != expected(salt);
  long* more = malloc(count * sizeof(long));
  memcpy(more, values, count * sizeof(long));
  values = realloc(values, 2 * count * sizeof(long));
  long sum = 0, serial = 0;
  for (int i = 0; i < count; ++i)
    serial += 2 * values[i];
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < count; ++i) {
    values[i] += more[i];
    sum += values[i];
  }
  wrong |= (sum != serial) << 1;
  free(more);
  free(values);
  for (int i = 0; i < threads; ++i)
    free(blocks[i]);
  return wrong;
}

static int fork_children(long* values, long** blocks, long salt) {
  pid_t pids[children];
  int wrong = 0;
  for (int i = 0; i < children; ++i) {
    pids[i] = fork();
    if (pids[i] == 0) {
      const int code = live(values, blocks, salt);
      if (i % 2)
        _exit(code);
      exit(code); // its own exit handlers run, the program goes on
    }
    values[i] += 1; // what the parent does meanwhile is not seen
    global_values[i] -= 1;
  }
  for (int i = 0; i < children; ++i) {
    int status;
    waitpid(pids[i], &status, 0);
    if (status) {
      wrong = 1;
      printf("child %d: %#x\n", i, status);
    }
    values[i] -= 1;
    global_values[i] += 1;
  }
  return wrong;
}

int main(void) {
  long* values = malloc(count * sizeof(long));
  long* blocks[threads] = {0};
  int wrong = 0;
  for (long salt = 1; salt <= 3; ++salt) {
    fill(values, blocks, salt);
    wrong |= fork_children(values, blocks, salt);
    if (sum_all(values, blocks) != expected(salt)) {
      printf("the parent's memory is another one\n");
      wrong = 1;
    }
  }
  printf("%s\n", wrong ? "wrong" : "right");
  return wrong;
}
