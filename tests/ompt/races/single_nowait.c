// All read what one has written in `single`: with nowait; without.
int main(void) {
  int x = 0, sum = 0;
#pragma omp parallel num_threads(2) shared(x) reduction(+ : sum)
  {
#ifdef RACE
#pragma omp single nowait
#else
#pragma omp single
#endif
    x = 1;
    sum += x;
  }
  return sum < 0;
}
