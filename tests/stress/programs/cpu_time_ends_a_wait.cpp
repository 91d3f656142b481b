// A timer by CPU time that ends the wait of a thread that could go on elsewhere, where it would use none of its
// process.
// run: HETMP_PLACEMENT=journeys:1
#include "stress.hpp"

#include <csignal>
#include <omp.h>
#include <sys/time.h>

namespace {

volatile sig_atomic_t rang = 0;

void cpu_time_ends_a_wait() {
  rang = 0;
  signal(SIGVTALRM, [](int) { rang = 1; });
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == 1) {
    const itimerval soon = {{0, 0}, {0, 20'000}};
    setitimer(ITIMER_VIRTUAL, &soon, nullptr);
    while (!rang)
      ;
  }
}

} // namespace

int main() {
  for (int visit = 0; visit < 8; ++visit) // some have no journeys
    cpu_time_ends_a_wait();
}
