// A program that wants each of its lines to be written at once, from before its main: nothing is left when it ends
// without telling anybody.
// stdout: 2 lines of written (before|behind)
#include "stress.hpp"

#include <unistd.h>

namespace {

__attribute__((constructor)) void write_at_once() { setvbuf(stdout, nullptr, _IONBF, 0); }

} // namespace

int main() {
  printf("written before\n");
#pragma omp parallel
  stress::compute(1);
  printf("written behind\n");
  _exit(0);
}
