// What members of a region call of the runtime while they are executed elsewhere, which their deputies do for them:
// barriers, static loops of all kinds, single, master, reductions. With tasks and signals in between, and with a member
// that calls all others home while those wait for it.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
// run: HETMP_PLACEMENT=journeys:3 OMP_NUM_THREADS=2
// run: HETMP_PLACEMENT=journeys:4 OMP_CANCELLATION=true
#include "stress.hpp"

#include <csignal>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <vector>

namespace {

constexpr int most_members = 16;
long home;
std::atomic<long> came_abroad{0}, waited_abroad{0}, divided_abroad{0};

bool is_abroad() { return stress::process_now() != home; }

void compute_abroad(int most = 30) {
  for (int i = 0; i < most && !is_abroad(); ++i)
    stress::compute(uint64_t(i));
}

struct alignas(64) Slot {
  uint64_t value = 0;
};
Slot slots[most_members];

uint64_t value_of(int member, int round) { return stress::mix(uint64_t(member), uint64_t(round)); }

/// Each writes before a barrier what all read behind it.
void barriers() {
  for (int visit = 0; visit < 6; ++visit) {
#pragma omp parallel
    {
      const int member = omp_get_thread_num(), members = omp_get_num_threads();
      CHECK(members <= most_members);
      for (int round = 0; round < 40; ++round) {
        compute_abroad(round % 4 == 0 ? 20 : 1);
        slots[member].value = value_of(member, round);
        const bool left_from_abroad = is_abroad();
#pragma omp barrier
        came_abroad += left_from_abroad;
        waited_abroad += left_from_abroad && is_abroad();
        CHECK_EQUAL(omp_get_thread_num(), member);
        for (int other = 0; other < members; ++other)
          CHECK(slots[other].value == value_of(other, round));
#pragma omp barrier
      }
    }
  }
}

/// Every iteration once, by the thread that static schedules say; forwards, backwards, in chunks.
template <class Index> void loops_over() {
  static std::atomic<int> times[1000];
  for (int visit = 0; visit < 3; ++visit) {
    for (auto& time : times)
      time = 0;
#pragma omp parallel
    {
      for (int round = 0; round < 4; ++round) {
        compute_abroad(10);
        const bool began_abroad = is_abroad();
        long last = -1;
#pragma omp for schedule(static)
        for (Index i = 0; i < Index(1000); ++i) {
          if (last < 0)
            divided_abroad += began_abroad && is_abroad();
          last = long(i);
          ++times[i];
        }
        compute_abroad(2);
#pragma omp for schedule(static, 7) nowait
        for (Index i = 999; i > Index(0); --i)
          ++times[i];
#pragma omp for schedule(static) nowait
        for (Index i = 0; i < Index(1); ++i)
          ++times[i];
#pragma omp for schedule(static)
        for (Index i = 5; i < Index(5); ++i)
          ++times[i];
      }
    }
    for (auto& time : times)
      CHECK_EQUAL(time, 8);
  }
}

/// The last iteration's value comes out of the loop.
void last_values() {
  for (int visit = 0; visit < 10; ++visit) {
    long value = -1;
#pragma omp parallel
    {
      compute_abroad(10);
#pragma omp for schedule(static) lastprivate(value)
      for (long i = 0; i < 100 + visit; ++i)
        value = i * 3;
    }
    CHECK_EQUAL(value, (99 + visit) * 3);
  }
}

void singles_masters_and_sums() {
  for (int visit = 0; visit < 6; ++visit) {
    std::atomic<int> singles{0}, masters{0};
    long sum = 0, most = 0;
    double product = 1;
    int members = 0;
#pragma omp parallel reduction(+ : sum) reduction(max : most)
    {
      const int member = omp_get_thread_num();
      for (int round = 0; round < 10; ++round) {
        compute_abroad(5);
#pragma omp single
        ++singles;
        compute_abroad(5);
#pragma omp master
        {
          ++masters;
          CHECK_EQUAL(member, 0);
        }
#pragma omp single nowait
        members = omp_get_num_threads();
        compute_abroad(5);
#pragma omp for reduction(* : product)
        for (int i = 0; i < 20; ++i)
          product *= i % 2 == 0 ? 2.0 : 0.5;
        CHECK(product == 1);
#pragma omp barrier
      }
      sum += member + 1;
      most = member;
    }
    CHECK_EQUAL(singles, 10);
    CHECK_EQUAL(masters, 10);
    CHECK_EQUAL(sum, members * (members + 1) / 2);
    CHECK_EQUAL(most, members - 1);
  }
}

/// Tasks of one are complete behind the barrier at which others wait abroad, whoever came last.
void tasks_before_barriers() {
  for (int visit = 0; visit < 4; ++visit) {
    std::atomic<long> executed{0};
#pragma omp parallel
    {
      const int member = omp_get_thread_num(), members = omp_get_num_threads();
      for (int round = 0; round < 12; ++round) {
        if (member == round % members) {
          if (round % 3 == 0)
            compute_abroad(40); // comes last
          for (int i = 0; i < 5; ++i) {
#pragma omp task shared(executed)
            {
              stress::compute(uint64_t(i), 5000);
              executed++;
            }
          }
        } else {
          compute_abroad(round % 2 == 0 ? 20 : 3);
        }
#pragma omp barrier
        CHECK_EQUAL(executed, (round + 1) * 5);
#pragma omp barrier
      }
    }
  }
}

void serialised_regions() {
  for (int visit = 0; visit < 4; ++visit) {
#pragma omp parallel
    {
      const int member = omp_get_thread_num();
      for (int round = 0; round < 4; ++round) {
        compute_abroad(10);
#pragma omp parallel num_threads(1)
        {
          compute_abroad(10);
          CHECK_EQUAL(omp_get_thread_num(), 0);
          CHECK_EQUAL(omp_get_num_threads(), 1);
          int iterations = 0;
#pragma omp for
          for (int i = 0; i < 10; ++i)
            ++iterations;
          CHECK_EQUAL(iterations, 10);
        }
        CHECK_EQUAL(omp_get_thread_num(), member);
      }
    }
  }
}

std::atomic<int> handled{0};

/// A signal for a member that waits at a barrier is handled, at the latest behind it.
void signals_for_those_that_wait() {
  struct sigaction action = {};
  action.sa_handler = [](int) { handled++; };
  CHECK_EQUAL(sigaction(SIGUSR1, &action, nullptr), 0);
  int sent = 0;
  for (int visit = 0; visit < 5; ++visit) {
    static pthread_t threads[most_members];
#pragma omp parallel
    {
      const int member = omp_get_thread_num(), members = omp_get_num_threads();
      threads[member] = pthread_self();
#pragma omp barrier
      if (member == 0) {
        usleep(3000);
        for (int other = 1; other < members; ++other)
          CHECK_EQUAL(pthread_kill(threads[other], SIGUSR1), 0);
        sent += members - 1;
      } else {
        compute_abroad();
      }
#pragma omp barrier
    }
  }
  for (int i = 0; i < 1000 && handled != sent; ++i)
    usleep(1000);
  CHECK_EQUAL(handled, sent);
}

/// The last: what is loaded then has no gates, so all come home, and who loads it waits for that; the others wait at
/// the barrier for who loads it.
void all_are_called_home() {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      usleep(5000);
      void* const object = dlopen("libanl.so.1", RTLD_NOW);
      if (!object)
        dlopen("libresolv.so.2", RTLD_NOW);
    } else {
      compute_abroad();
    }
#pragma omp barrier
    compute_abroad(3);
    CHECK(!is_abroad());
  }
}

} // namespace

int main() {
  home = stress::process_now();
  barriers();
  loops_over<int>();
  loops_over<unsigned>();
  loops_over<long>();
  loops_over<unsigned long>();
  last_values();
  singles_masters_and_sums();
  tasks_before_barriers();
  serialised_regions();
  signals_for_those_that_wait();
  // Otherwise all that would have shown nothing.
  const char* cancellation = getenv("OMP_CANCELLATION");
  if (stress::threads_must_travel()) {
    for (int more = 0; divided_abroad == 0 || (waited_abroad == 0 && !cancellation); ++more) {
      CHECK(more < 300);
      barriers();
      loops_over<long>();
    }
    // Then all wait at home. Who has been there may depart again before it asks where it is: some do, and most where
    // they wait elsewhere.
    if (cancellation) {
      while (came_abroad < 40)
        barriers();
      CHECK(waited_abroad <= came_abroad / 2);
    }
  }
  all_are_called_home();
}
