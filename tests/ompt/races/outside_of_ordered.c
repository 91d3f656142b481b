// Iterations count: outside of their ordered regions; inside.
int main(void) {
  int x = 0;
#pragma omp parallel for num_threads(2) ordered schedule(static, 1)
  for (int i = 0; i < 10; i++) {
#ifdef RACE
    x++;
#endif
#pragma omp ordered
    {
#ifndef RACE
      x++;
#endif
    }
  }
  return x == 0;
}
