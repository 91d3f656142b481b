// Streams that constructors have opened: what the first node does with them, once there are others, is no harm to
// those.

// library: early_streams_part.cpp
#include "stress.hpp"

#include <omp.h>

extern "C" FILE* early_stream(int which);

namespace {

constexpr int early = 3;

int sum_of_region() {
  int sum = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
  sum += omp_get_thread_num();
  return sum;
}

} // namespace

int main() {
  CHECK_EQUAL(sum_of_region(), 28);
  for (int i = 0; i < early; ++i)
    CHECK_EQUAL(fclose(early_stream(i)), 0);
  stress::fill_free_blocks();
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(sum_of_region(), 28); // each node flushes its streams at the end

  // One that stays open is everybody's.
  FILE* const open = early_stream(early);
#pragma omp parallel num_threads(8)
#pragma omp critical
  fprintf(open, "%d\n", omp_get_thread_num());
  rewind(open);
  int lines = 0, numbers = 0, number;
  while (fscanf(open, "%d", &number) == 1) {
    ++lines;
    numbers += number;
  }
  CHECK_EQUAL(lines, 8);
  CHECK_EQUAL(numbers, 28);
  CHECK_EQUAL(fclose(open), 0);
  stress::fill_free_blocks();
  CHECK_EQUAL(sum_of_region(), 28);
}
