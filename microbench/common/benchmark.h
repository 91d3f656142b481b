/* What every kernel shares: the team's size, checked memory, the comparison with a reference, and the report,
 * one "field: value" a line, which paired.py and the tests read. */
#pragma once

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The schedule clause of a kernel's loops. Compiled with -DBENCHMARK_SCHEDULE= the loops have none, as in
 * programs that leave the choice to the compiler. */
#ifndef BENCHMARK_SCHEDULE
#define BENCHMARK_SCHEDULE schedule(runtime)
#endif

/* The number of threads a parallel region gets. Starts the pool too, so that timed regions find it running.
 */
static inline int benchmark_threads(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

/* malloc that ends the program when there is no memory. */
static inline void* benchmark_allocate(size_t count, size_t size) {
  void* memory = count <= SIZE_MAX / size ? malloc(count * size) : NULL;
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu elements of %zu bytes\n", count, size);
    exit(2);
  }
  return memory;
}

/* The name of the class on the command line, 'S' without one. `classes` lists those known; another ends the
 * program with its usage, of which `options` is the part behind the class. */
static inline char benchmark_class(int argc, char** argv, const char* classes, const char* options) {
  if (argc == 1)
    return 'S';
  if (argc == 2 && argv[1][0] != '\0' && argv[1][1] == '\0')
    for (const char* known = classes; *known != '\0'; ++known)
      if (*known == argv[1][0])
        return *known;
  fprintf(stderr, "usage: %s [class]%s, class one of %s (default S)\n", argv[0], options, classes);
  exit(2);
}

/* The same as the class's place in `classes`, for a table of classes in that order. */
static inline int benchmark_class_index(int argc, char** argv, const char* classes) {
  const char name = benchmark_class(argc, argv, classes, "");
  int index = 0;
  while (classes[index] != name)
    ++index;
  return index;
}

/* False for a value that is not a number. */
static inline bool benchmark_near(double value, double reference, double relative_tolerance) {
  return fabs(value - reference) <= relative_tolerance * fabs(reference);
}

static inline void benchmark_report_start(const char* name, char class_name, int threads) {
  printf("benchmark: %s\nclass: %c\nthreads: %d\n", name, class_name, threads);
}

/* The report's last lines; returns the exit code of the program. */
static inline int benchmark_report_end(double seconds, bool verified) {
  printf("time: %.6f s\n", seconds);
  printf("verification: %s\n", verified ? "successful" : "FAILED");
  return verified ? EXIT_SUCCESS : EXIT_FAILURE;
}
