// The primary of a region at home that goes on elsewhere, too: what lies in main's frames, its thread-local variables,
// its signals, and the constructs that mean it.
// run: HETMP_PLACEMENT=journeys:5 OMP_NUM_THREADS=2
// run: HETMP_PLACEMENT=journeys:6 OMP_NUM_THREADS=5
#include "stress.hpp"

#include <csignal>
#include <omp.h>
#include <stdexcept>
#include <sys/time.h>
#include <vector>

namespace {

int stays = 0; ///< of the primary

/// By each member of a region: the primary is elsewhere when this returns, or has not left for a while.
void leave_home() {
  if (stress::computes_abroad(30) && omp_get_thread_num() == 0)
    ++stays;
}

struct Constructor {
  explicit Constructor(uint64_t value) : own(value) {}
  uint64_t own;
};
thread_local uint64_t counted = 1;
thread_local Constructor made(40);

void frames_of_main(uint64_t round) {
  uint64_t numbers[700], sum = 0, after = 0;
  for (uint64_t i = 0; i < 700; ++i)
    numbers[i] = stress::mix(round, i);
  const uint64_t counted_before = counted, made_before = made.own;
#pragma omp parallel reduction(+ : sum)
  {
    leave_home();
    const auto member = uint64_t(omp_get_thread_num());
    for (uint64_t i = member; i < 700; i += uint64_t(omp_get_num_threads())) {
      sum += numbers[i];
      numbers[i] ^= member;
    }
    counted += 2;
    made.own += round;
    if (member == 0)
      after = sum + 1;
    leave_home();
  }
  uint64_t expected = 0;
  for (uint64_t i = 0; i < 700; ++i)
    expected += stress::mix(round, i);
  CHECK_EQUAL(sum, expected);
  CHECK(after != 0);
  CHECK_EQUAL(counted, counted_before + 2);
  CHECK_EQUAL(made.own, made_before + round);
}

volatile sig_atomic_t alarms = 0;
volatile sig_atomic_t alarms_elsewhere = 0;

void note_alarm(int) {
  alarms = alarms + 1;
  alarms_elsewhere = alarms_elsewhere + stress::is_abroad();
}

/// It waits for what its own handler does, which belongs to the process that the program has begun as.
void signals_of_main() {
  struct sigaction action = {};
  action.sa_handler = note_alarm;
  CHECK_EQUAL(sigaction(SIGALRM, &action, nullptr), 0);
  for (int round = 0; round < 3; ++round) {
    alarms = 0;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        leave_home();
        const itimerval soon = {{0, 0}, {0, 2000}};
        CHECK_EQUAL(setitimer(ITIMER_REAL, &soon, nullptr), 0);
        leave_home();
        while (alarms == 0)
          ;
      } else {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        leave_home();
      }
    }
  }
  CHECK_EQUAL(int(alarms_elsewhere), 0);
  signal(SIGALRM, SIG_DFL);
}

void constructs_that_mean_it(int round) {
  int by_master = 0, by_masked = 0, by_single = 0, tasks = 0, inner = 0, in_critical = 0, ordered = -1;
  long iterations = 0;
#pragma omp parallel
  {
    leave_home();
#pragma omp master
    by_master += omp_get_thread_num() == 0 && omp_get_level() == 1;
#pragma omp masked
    {
      leave_home();
      by_masked++;
    }
#pragma omp barrier
    leave_home();
#pragma omp single
    by_single++;
#pragma omp for schedule(dynamic, 3) reduction(+ : iterations)
    for (int i = 0; i < 100; ++i) {
      iterations += i;
      stress::compute(uint64_t(i), 500);
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 12; ++i) {
      stress::compute(uint64_t(i), 500);
#pragma omp ordered
      {
        CHECK_EQUAL(i, ordered + 1);
        ordered = i;
      }
    }
#pragma omp critical
    in_critical++;
    if (omp_get_thread_num() == 0) {
      leave_home();
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(tasks)
        {
          stress::compute(uint64_t(i), 2000);
#pragma omp atomic
          tasks++;
        }
      }
#pragma omp taskwait
      CHECK_EQUAL(tasks, 10);
      leave_home();
#pragma omp parallel num_threads(2) reduction(+ : inner)
      inner += omp_get_ancestor_thread_num(1) == 0;
      leave_home();
    }
  }
  CHECK_EQUAL(by_master, 1);
  CHECK_EQUAL(by_masked, 1);
  CHECK_EQUAL(by_single, 1);
  CHECK_EQUAL(iterations, 4950L);
  CHECK_EQUAL(ordered, 11);
  CHECK_EQUAL(tasks, 10);
  CHECK(inner >= 1);
  CHECK(in_critical >= 1);
  CHECK(round >= 0);
}

/// Memory that main has taken before and gives back later, and what it takes elsewhere.
void memory_and_exceptions(size_t round) {
  std::vector<uint64_t> grown{1, 2, 3};
  int caught = 0;
#pragma omp parallel
  {
    leave_home();
    if (omp_get_thread_num() == 0) {
      for (size_t i = 0; i < 300 + round; ++i)
        grown.push_back(i);
      leave_home();
      try {
        if (grown.size() > 3)
          throw std::runtime_error("caught where it was thrown");
      } catch (const std::runtime_error&) {
        caught++;
      }
      leave_home();
    }
  }
  CHECK_EQUAL(caught, 1);
  CHECK_EQUAL(grown.size(), 303 + round);
  CHECK_EQUAL(grown.back(), 299 + round);
}

} // namespace

int main() {
  for (int round = 0; round < 8; ++round) {
    frames_of_main(uint64_t(round));
    constructs_that_mean_it(round);
    memory_and_exceptions(size_t(round));
  }
  signals_of_main();
  // Otherwise all that would have shown nothing.
  for (uint64_t more = 0; stays == 0 && stress::threads_must_travel(); ++more) {
    CHECK(more < 1000);
    frames_of_main(more);
  }
}
