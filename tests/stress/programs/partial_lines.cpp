// Lines that several threads write one after the other, a part each: main and a region, the chunks of an ordered loop,
// members before and behind a barrier, in critical sections, in regions that follow each other.
// stdout: 60 lines of \d+ (begun: 0 1 2 3 4 5 6 7|met first last|counted x{12}\.|one then another)
// run: HETMP_PLACEMENT=all OMP_NUM_THREADS=4
// run: HETMP_PLACEMENT=random:1 OMP_NUM_THREADS=4
// run: HETMP_PLACEMENT=journeys:1 OMP_NUM_THREADS=4
#include "stress.hpp"

#include <omp.h>

namespace {

void begun_by_main(int round) {
  printf("%d begun:", round);
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 8; ++i) {
    stress::compute(uint64_t(i));
#pragma omp ordered
    printf(" %d", i);
  }
  printf("\n");
}

void before_and_behind_a_barrier(int round) {
#pragma omp parallel
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == 0)
      printf("%d met first", round);
#pragma omp barrier
    if (omp_get_thread_num() == last)
      printf(" last\n");
  }
}

void in_critical_sections(int round) {
  printf("%d counted ", round);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 12; ++i) {
#pragma omp critical
    printf("x");
  }
  printf(".\n");
}

void in_two_regions(int round) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1)
    printf("%d one then", round);
#pragma omp parallel
  if (omp_get_thread_num() == 0)
    printf(" another\n");
}

} // namespace

int main() {
  for (int round = 0; round < 15; ++round) {
    begun_by_main(round);
    before_and_behind_a_barrier(round);
    in_critical_sections(round);
    in_two_regions(round);
  }
}
