// The same with a lock that is set twice.
#include <omp.h>
int main(void) {
  int x = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2) shared(x)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
#ifndef RACE
    x++;
#endif
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
#ifdef RACE
    x++;
#endif
  }
  omp_destroy_nest_lock(&lock);
  return x == 0;
}
