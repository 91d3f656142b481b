/* A library that uses OpenMP inside, for programs that know nothing of it. */
int plugin_sum(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
  for (int i = 1; i <= n; ++i)
    sum += i;
  return sum;
}
