// Threads that wait for each other by flags of the program's own, which the runtime sees nothing of: hand over hand
// through a pipeline, at a barrier of their own, for a lock of their own, and with flushes. Where they share CPUs their
// turns become shorter; in a forked child, whose runtime has none of this process's threads, as well.
// run:
// run: HETMP_PLACEMENT=origin
// run: HETMP_PLACEMENT=origin OMP_NUM_THREADS=3
#include "stress.hpp"

#include <atomic>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int most_members = 64;
struct alignas(64) Flag {
  std::atomic<int> step{0};
};
Flag flags[most_members];
std::atomic<int> arrived, generation;
std::atomic<bool> is_taken;
std::atomic<int> token;
long guarded, expected, passed;

/// Each step of a member follows the same step of the member before it.
void pipeline(int member, int steps) {
  for (int step = 1; step <= steps; ++step) {
    if (member > 0)
      while (flags[member - 1].step.load(std::memory_order_acquire) < step) {
      }
    stress::compute(uint64_t(step), 2000);
    flags[member].step.store(step, std::memory_order_release);
  }
}

void spun_barrier(int members) {
  const int met = generation.load(std::memory_order_acquire);
  if (arrived.fetch_add(1) + 1 == members) {
    arrived = 0;
    generation.store(met + 1, std::memory_order_release);
  } else {
    while (generation.load(std::memory_order_acquire) == met) {
    }
  }
}

/// A token that goes round; atomic operations without an order have theirs from the flushes, as in older programs.
void flushed_round(int member, int members, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    while (token.load(std::memory_order_relaxed) % members != member) {
#pragma omp flush
    }
#pragma omp flush
    passed += 1;
#pragma omp flush
    token.store(token.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#pragma omp flush
  }
}

void add_under_lock(int times) {
  for (int i = 0; i < times; ++i) {
    while (is_taken.exchange(true, std::memory_order_acquire)) {
    }
    guarded += 1;
    is_taken.store(false, std::memory_order_release);
  }
}

void visits(int count, int steps) {
  for (int visit = 0; visit < count; ++visit) {
    for (Flag& flag : flags)
      flag.step = 0;
    int members = 0;
    token = 0;
    passed = 0;
#pragma omp parallel
    {
      const int member = omp_get_thread_num();
      CHECK(member < most_members);
      pipeline(member, steps);
      spun_barrier(omp_get_num_threads());
      CHECK_EQUAL(flags[omp_get_num_threads() - 1].step, steps);
      add_under_lock(100);
      flushed_round(member, omp_get_num_threads(), steps);
#pragma omp single
      members = omp_get_num_threads();
    }
    expected += 100L * members;
    CHECK_EQUAL(guarded, expected);
    CHECK_EQUAL(passed, long(steps) * members);
  }
}

} // namespace

int main() {
  visits(12, 6);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    visits(6, 4);
    _exit(0);
  }
  visits(6, 4);
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
}
