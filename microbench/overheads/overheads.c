/* What each construct costs on this machine with the runtime at hand: the time of many executions of it around next to
 * nothing, less the time of that nothing alone.
 *
 * Usage: overheads [--samples N] [--microseconds N] [NAME ...]
 *
 *   samples       how often each construct is measured (21); its figure is their median
 *   microseconds  how long a sample should take (2000); the number of executions in it follows from that
 *   NAME          only these constructs
 *
 * Prints "NAME: MEDIAN us (quartiles LOW .. HIGH)" for each: for one execution by the whole team, or for one iteration
 * or one task where the name says so. */
#include "overheads.h"
#include "../common/benchmark.h"
#include "../common/options.h"

#include <string.h>

enum { most_samples = 1000, most_executions = 1 << 24 };

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double seconds_of(void (*run)(long), long executions) {
  const double start = omp_get_wtime();
  run(executions);
  return omp_get_wtime() - start;
}

/* So many executions that they take the time wanted. */
static long executions_for(const Construct* construct, double seconds) {
  long executions = 1;
  while (executions < most_executions) {
    const double took = seconds_of(construct->run, executions);
    if (took >= seconds)
      return executions;
    const double wanted = took > 0 ? seconds / took : 16;
    executions *= wanted > 16 ? 16 : wanted < 1.5 ? 2 : (long)wanted + 1;
  }
  return most_executions;
}

static void measure(const Construct* construct, int samples, double seconds) {
  static double overheads[most_samples];
  const long executions = executions_for(construct, seconds);
  for (int i = 0; i < samples; ++i) {
    const double alone = seconds_of(construct->reference, executions);
    const double with = seconds_of(construct->run, executions);
    overheads[i] = (with - alone) * 1e6 / ((double)executions * construct->parts);
  }
  qsort(overheads, (size_t)samples, sizeof *overheads, by_value);
  printf("%s: %.4f us (quartiles %.4f .. %.4f)\n", construct->name, overheads[samples / 2], overheads[samples / 4],
         overheads[samples - 1 - samples / 4]);
  fflush(stdout);
}

static const Construct* find(const char* name) {
  for (const Construct* construct = constructs; construct->name; ++construct)
    if (strcmp(construct->name, name) == 0)
      return construct;
  fprintf(stderr, "no such construct: %s\n", name);
  exit(2);
}

int main(int argc, char** argv) {
  const int samples = (int)benchmark_number_option(&argc, argv, "--samples", 21, 1, most_samples);
  const long microseconds = benchmark_number_option(&argc, argv, "--microseconds", 2000, 1, 10000000);
  for (int i = 1; i < argc; ++i)
    find(argv[i]);
  printf("threads: %d\n", benchmark_threads());
  prepare_constructs();
  if (argc > 1)
    for (int i = 1; i < argc; ++i)
      measure(find(argv[i]), samples, (double)microseconds * 1e-6);
  else
    for (const Construct* construct = constructs; construct->name; ++construct)
      measure(construct, samples, (double)microseconds * 1e-6);
  return 0;
}
