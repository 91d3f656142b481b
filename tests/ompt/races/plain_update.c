// The same: a plain update; an atomic one.
int main(void) {
  int x = 0;
#pragma omp parallel num_threads(2) shared(x)
  for (int i = 0; i < 10; i++) {
#ifndef RACE
#pragma omp atomic
#endif
    x += 2;
  }
  return x == 0;
}
