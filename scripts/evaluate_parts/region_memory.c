/* For evaluate's part "memory": a region that says hello; then, with an argument, that many MiB written by the first
 * thread and read by the second. After each step it says so and waits for a line, to be looked at from outside. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void wait_here(const char* step) {
  printf("%s\n", step);
  fflush(stdout);
  while (getchar() != '\n')
    if (feof(stdin))
      exit(0);
}

int main(int argc, char** argv) {
  int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp critical
  ++threads;
  wait_here(threads == 2 ? "hello" : "not two threads");
  if (argc < 2)
    return 0;
  const size_t bytes = strtoul(argv[1], NULL, 10) << 20;
  char* memory = malloc(bytes);
  if (!memory)
    return 2;
  memset(memory, 1, bytes);
  size_t sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  if (omp_get_thread_num() == 1)
    for (size_t i = 0; i < bytes; i += 4096)
      sum += (size_t)memory[i];
  wait_here(sum == bytes / 4096 ? "shared" : "wrong content");
  free(memory);
  return 0;
}
