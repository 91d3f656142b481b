// Both threads lock; one forgets to.
#include <omp.h>
int main(void) {
  int x = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2) shared(x)
  {
#ifdef RACE
    const int locks = omp_get_thread_num() == 0;
#else
    const int locks = 1;
#endif
    if (locks)
      omp_set_lock(&lock);
    x++;
    if (locks)
      omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return x == 0;
}
