// A loop reads what another one writes: with nowait between; without.
#define N 1000
int main(void) {
  static int a[N], b[N];
#pragma omp parallel num_threads(2)
  {
#ifdef RACE
#pragma omp for schedule(static) nowait
#else
#pragma omp for schedule(static)
#endif
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = a[N - 1 - i];
  }
  return b[0] < 0;
}
