// A program at a fixed address that takes malloc's: to the linker the function then is the program's entry for it, and
// all calls, the C library's own as well, go by the program's table of functions, which nodes share. The threads that
// serve pages cannot.
// flags: -no-pie -fno-pie -Wl,-z,lazy -Wl,-z,norelro
#include "stress.hpp"

#include <cstdlib>
#include <mutex>
#include <omp.h>

namespace {

void* (*const volatile allocate)(size_t) = malloc; // not relocated when the program starts, but known when it is linked

constexpr int team = 4, rounds = 300;

} // namespace

int main() {
  static std::mutex mutex; // those that wait for it on another node are looked for by that node's service thread
  static long turns;
#pragma omp parallel num_threads(team)
  for (int round = 0; round < rounds; ++round) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++turns;
  }
  CHECK_EQUAL(turns, long(team) * rounds);
  void* block = allocate(100);
  CHECK(block != nullptr);
  free(block);
  return 0;
}
