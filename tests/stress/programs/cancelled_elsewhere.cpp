// A thread cancels a region, a loop or sections, and threads of all nodes do nothing but look whether it has happened.
// Nothing that is heard late cancels what comes next. Not with OMP_SCHEDULE=hetprobe and HETMP_LOOPS=all: a region
// whose loops have been decided for one node gives as many threads iterations as that has CPUs, and here each has to
// get one.

// run: OMP_CANCELLATION=true
// run: OMP_CANCELLATION=true OMP_NUM_THREADS=7
// run: OMP_CANCELLATION=true OMP_SCHEDULE=dynamic
// run: OMP_CANCELLATION=true OMP_SCHEDULE=guided,3
#include "stress.hpp"

#include <climits>
#include <omp.h>

namespace {

/// Nobody gets to its end.
constexpr long endless = LONG_MAX / 4;

/// Thread `who` cancels the region, the others are in it until they hear of that.
void cancel_region(int who) {
#pragma omp parallel
  {
    const bool cancels = omp_get_thread_num() == who % omp_get_num_threads();
    for (uint64_t x = 0;; x = stress::compute(x, 100)) {
      if (cancels) {
#pragma omp cancel parallel
      }
#pragma omp cancellation point parallel
    }
  }
}

/// Some threads cancel it at the same time.
void cancel_region_together() {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() % 2 == 0) {
#pragma omp cancel parallel
    }
    for (uint64_t x = 0;; x = stress::compute(x, 100)) {
#pragma omp cancellation point parallel
    }
  }
}

/// While others wait at a barrier.
void cancel_region_at_barrier(int who) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == who % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
    if (omp_get_thread_num() % 3 == 0) {
#pragma omp barrier
    }
    for (uint64_t x = 0;; x = stress::compute(x, 100)) {
#pragma omp cancellation point parallel
    }
  }
}

/// Loops of one region that are cancelled one after the other, and between them one that is not.
void cancel_loops(int rounds) {
  constexpr int most = 64;
  static int64_t counts[most];
  CHECK(rounds <= most);
#pragma omp parallel
  for (int round = 0; round < rounds; ++round) {
#pragma omp for
    for (long i = 0; i < endless; ++i) {
      if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      counts[round]++;
#pragma omp cancellation point for
    }
  }
  for (int round = 0; round < rounds; ++round) {
    CHECK_EQUAL(counts[round], 100);
    counts[round] = 0;
  }
}

/// Whether the calling thread is in the first or the second half of its team. Not one thread alone: there is no promise
/// that each one gets an iteration.
bool is_in_half(int half) { return 2 * omp_get_thread_num() / omp_get_num_threads() == half % 2; }

/// Loops whose iterations are handed out while they run.
void cancel_dispatched_loops(int half) {
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (long i = 0; i < endless; ++i) {
      if (is_in_half(half)) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(dynamic, 1)
    for (long i = 0; i < endless; ++i) {
      if (is_in_half(half + 1)) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(static, 1)
    for (long i = 0; i < endless; ++i) {
      if (is_in_half(half)) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
}

/// Some threads leave it while others ask for a loop's iterations, and learn of it at the loop's end.
void cancel_region_beside_loop(int half) {
#pragma omp parallel
  {
    if (is_in_half(half)) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < 1000; ++i)
      stress::compute(uint64_t(i), 10);
    CHECK(false);
  }
}

/// The first section cancels, whoever has another one by then looks.
void cancel_sections() {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
        stress::compute(1, 1000);
#pragma omp cancel sections
      }
#pragma omp section
      for (uint64_t x = 0;; x = stress::compute(x, 100)) {
#pragma omp cancellation point sections
      }
#pragma omp section
      for (uint64_t x = 0;; x = stress::compute(x, 100)) {
#pragma omp cancellation point sections
      }
    }
  }
}

/// Whatever was cancelled before, this is not.
void run_whole() {
  int64_t passed = 0, threads = 0, iterations = 0;
#pragma omp parallel reduction(+ : passed, threads, iterations)
  {
    threads += 1;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 60; ++i) {
      iterations += 1;
#pragma omp cancellation point for
    }
#pragma omp cancellation point parallel
    passed += 1;
  }
  CHECK_EQUAL(passed, threads);
  CHECK_EQUAL(iterations, 60);
}

} // namespace

int main() {
  CHECK(omp_get_cancellation());
  for (int i = 0; i < stress::portion(30); ++i) {
    cancel_region(i);
    run_whole();
    cancel_loops(1 + i % 5);
    run_whole();
    cancel_region_together();
    cancel_loops(2);
    cancel_region_at_barrier(i);
    run_whole();
    cancel_dispatched_loops(i);
    run_whole();
    cancel_region_beside_loop(i);
    run_whole();
    cancel_sections();
    run_whole();
  }
  puts("OK");
}
