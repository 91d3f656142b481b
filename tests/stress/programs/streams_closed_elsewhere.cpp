// Streams that one thread opens and another one closes, on whichever nodes those are.
#include "stress.hpp"

#include <omp.h>

namespace {

constexpr int threads = 8;
FILE* streams[threads];

void fill_free_blocks_everywhere() {
#pragma omp parallel num_threads(threads)
  stress::fill_free_blocks();
}

void open_by_threads() {
#pragma omp parallel num_threads(threads)
  {
    FILE*& stream = streams[omp_get_thread_num()];
    stream = tmpfile();
    fprintf(stream, "%d\n", omp_get_thread_num());
  }
}

} // namespace

int main() {
  open_by_threads();
  for (FILE* stream : streams)
    CHECK_EQUAL(fclose(stream), 0);
  for (int i = 0; i < 3; ++i)
    fill_free_blocks_everywhere(); // each node flushes its streams at the end

  open_by_threads();
#pragma omp parallel num_threads(threads)
  fclose(streams[threads - 1 - omp_get_thread_num()]);
  for (int i = 0; i < 3; ++i)
    fill_free_blocks_everywhere();

#pragma omp parallel num_threads(threads)
  {
    streams[omp_get_thread_num()] = tmpfile();
    fprintf(streams[omp_get_thread_num()], "%d\n", omp_get_thread_num());
#pragma omp barrier
    fclose(streams[threads - 1 - omp_get_thread_num()]);
    stress::fill_free_blocks();
  }
  for (int i = 0; i < 3; ++i)
    fill_free_blocks_everywhere();
}
