// Trap: thread-local objects with a constructor. Each thread's is made at its first use, once, and keeps what it holds,
// on the heap too, from region to region.
//
// Usage: trap_thread_objects [--rounds N] [--steps N]
#include <vector>

#include "trap.h"

namespace {

long constructions = 0;

struct Walk {
  Walk() : state(trap_seed(omp_get_thread_num())) { trap_count(&constructions); }

  void advance(long steps) {
    state = trap_advance(state, steps);
    history.push_back(state);
  }

  uint64_t state;
  std::vector<uint64_t> history;
};

thread_local Walk walk;

long count_wrong(const Walk& of, int number, const TrapSettings& settings) {
  long wrong = of.history.size() != static_cast<size_t>(settings.rounds);
  for (size_t round = 0; round < of.history.size(); ++round)
    wrong += of.history[round] != trap_expected(number, static_cast<long>(round) + 1, settings.steps);
  return wrong;
}

} // namespace

int main(int argc, char** argv) {
  const TrapSettings settings = trap_settings(argc, argv);
  const double start = omp_get_wtime();
  const int members = benchmark_threads();
  long wrong = 0;
  for (long round = 1; round <= settings.rounds; ++round) {
#pragma omp parallel
    walk.advance(settings.steps);
    wrong += walk.state != trap_expected(0, round, settings.steps); // the primary's, in the serial part
  }
#pragma omp parallel reduction(+ : wrong)
  wrong += count_wrong(walk, omp_get_thread_num(), settings);
  wrong += constructions != members;
  return trap_report("trap_thread_objects", members, omp_get_wtime() - start, wrong);
}
