// Threads that constructors of the program's own objects start, before main and in dlopen: nothing that they read is
// ever anything else than what was written, and nothing that they write is lost.

// library: early_threads_part.cpp
// loads: early_threads_late_part.cpp
#include "stress.hpp"

#include <dlfcn.h>
#include <omp.h>

extern "C" int stop_early_threads();

int main() {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += omp_get_thread_num();
  CHECK_EQUAL(sum, 6);
  void* object = dlopen("libearly_threads_late_part.so", RTLD_NOW);
  CHECK(object != nullptr);
  const auto stop_late_threads = reinterpret_cast<int (*)()>(dlsym(object, "stop_late_threads"));
  CHECK(stop_late_threads != nullptr);
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += omp_get_thread_num();
  CHECK_EQUAL(sum, 12);
  CHECK_EQUAL(stop_late_threads(), 0);
  CHECK_EQUAL(stop_early_threads(), 0);
}
