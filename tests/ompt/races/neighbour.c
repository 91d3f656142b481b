// Each element from the one before: of the same array; of another.
#define N 1000
int main(void) {
  static int a[N], b[N];
#pragma omp parallel for num_threads(2) schedule(static)
  for (int i = 1; i < N; i++)
#ifdef RACE
    a[i] = a[i - 1] + 1;
#else
    a[i] = b[i - 1] + 1;
#endif
  return a[1] < 0;
}
