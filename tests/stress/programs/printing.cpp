// Lines printed by all threads of all nodes: all of them arrive, once, whole.

// stdout: 1280 lines of by (printf: [0-7] \d+ -*|puts: [0-7] \d+|stream: [0-7] \d+)
#include "stress.hpp"

#include <iostream>
#include <omp.h>
#include <string>

int main() {
  static const char dashes[] = "----------------------------------------------------------------------";
#pragma omp parallel num_threads(8)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 100; ++i)
      printf("by printf: %d %d %.*s\n", me, i, (me * 9 + i) % 70, dashes);
    for (int i = 0; i < 30; ++i)
      puts(("by puts: " + std::to_string(me) + " " + std::to_string(i)).c_str());
      // A stream writes its pieces one by one: lines of other threads of the process may come between, with any
      // runtime.
#pragma omp barrier
    for (int i = 0; i < 30; ++i) {
#pragma omp critical
      std::cout << "by stream: " + std::to_string(me) + " " + std::to_string(i) + "\n" << std::flush;
    }
  }
}
