// A sum in a loop: shared; by a reduction.
int main(void) {
  int sum = 0;
#ifdef RACE
#pragma omp parallel for num_threads(2) schedule(static)
#else
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : sum)
#endif
  for (int i = 0; i < 100; i++)
    sum += i;
  return sum == 0;
}
