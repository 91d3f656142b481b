// All read what the primary has written in `master`: at once; behind a barrier.
int main(void) {
  int x = 0, sum = 0;
#pragma omp parallel num_threads(2) shared(x) reduction(+ : sum)
  {
#pragma omp master
    x = 1;
#ifndef RACE
#pragma omp barrier
#endif
    sum += x;
  }
  return sum < 0;
}
