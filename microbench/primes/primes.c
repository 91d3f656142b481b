/* Primes below a limit, each number tried by division: a dynamic loop of short chunks, the later ones longer, that
 * shares nothing but its sum.
 *
 * Usage: primes [class]     S: below 100,000, W: 6,000,000, A: 20,000,000 */
#include "../common/benchmark.h"

typedef struct {
  char name;
  int limit, primes; /* published: OEIS A000720 */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 100000, 9592}, {'W', 6000000, 412849}, {'A', 20000000, 1270607}};

static bool is_prime(int number) {
  for (int divisor = 2; divisor <= number / divisor; ++divisor)
    if (number % divisor == 0)
      return false;
  return number > 1;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const int limit = class->limit;
  benchmark_report_start("primes", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  int primes = 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : primes)
  for (int number = 0; number < limit; ++number)
    primes += is_prime(number);
  const double seconds = omp_get_wtime() - start;
  printf("primes: %d\n", primes);
  return benchmark_report_end(seconds, primes == class->primes);
}
