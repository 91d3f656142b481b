// A counter of all threads: without protection; in a critical section.
int main(void) {
  int x = 0;
#pragma omp parallel num_threads(2) shared(x)
  {
#ifndef RACE
#pragma omp critical
#endif
    x++;
  }
  return x == 0;
}
