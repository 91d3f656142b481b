// Functions whose addresses dlsym() has given, called in regions whose threads could go on elsewhere: no gate stands
// before them.
// run: HETMP_PLACEMENT=journeys:1
// flags: -ldl
#include "stress.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

namespace {

void addresses_of_functions() {
  const auto process = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_DEFAULT, "getpid"));
  const auto member = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_thread_num"));
  const pid_t home = getpid();
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 20; ++i) {
    stress::compute(1, 300'000);
    CHECK_EQUAL(process(), home);
    stress::compute(1, 300'000);
    CHECK_EQUAL(member(), omp_get_thread_num());
  }
}

} // namespace

int main() { addresses_of_functions(); }
