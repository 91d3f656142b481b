// An object with thread-local variables, loaded while the program runs: the first node can use it, and that is said.

// loads: late_object_alone_part.cpp
// said on several nodes: hetmp: dlopen of .*/liblate_object_alone_part.so: .*liblate_object_alone_part.so has thread-local variables; only node 0 can use it: link the program with it, or run it on one node
#include "stress.hpp"

#include <dlfcn.h>

int main() {
  void* object = dlopen("liblate_object_alone_part.so", RTLD_NOW);
  CHECK(object != nullptr);
  const auto next = reinterpret_cast<int (*)()>(dlsym(object, "next_number"));
  CHECK_EQUAL(next(), 42);
  CHECK_EQUAL(next(), 43);
  int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
  threads++;
  CHECK_EQUAL(threads, 4);
  CHECK_EQUAL(next(), 44);
}
