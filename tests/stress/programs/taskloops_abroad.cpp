// Loops of tasks in a region at home whose threads are executed elsewhere while they execute them. Some tasks are large
// enough to be taken one by one, others are executed in a row (runtime/tasking/taskloop_tasks). Each iteration is
// executed once, whoever does it, with copies of what it asks for; what tasks reduce is complete behind the loop.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7 OMP_STACKSIZE=512K
// run: HETMP_PLACEMENT=journeys:3 OMP_NUM_THREADS=2
// run: HETMP_PLACEMENT=auto
#include "stress.hpp"

#include <atomic>
#include <omp.h>

namespace {

std::atomic<long> large_abroad{0}, small_abroad{0};
std::atomic<int> alive{0};

/// Has to be initialised, combined and destroyed; counts itself.
struct Tally {
  long sum = 0;
  uint64_t names = 0;
  Tally() { alive++; }
  Tally(const Tally& other) : sum(other.sum), names(other.names) { alive++; }
  Tally& operator=(const Tally&) = default;
  ~Tally() { alive--; }
  void add(int i) {
    sum += i;
    names += stress::mix(uint64_t(i));
  }
};
#pragma omp declare reduction(tally:Tally                                                                              \
                              : omp_out.sum += omp_in.sum, omp_out.names += omp_in.names)                              \
    initializer(omp_priv = Tally())

constexpr int iterations = 300;
int executed[iterations];

void check(const Tally& tally, int times) {
  uint64_t names = 0;
  for (int i = 0; i < iterations; ++i) {
    CHECK_EQUAL(executed[i], times);
    executed[i] = 0;
    names += stress::mix(uint64_t(i));
  }
  CHECK_EQUAL(tally.sum, long(times) * iterations * (iterations - 1) / 2);
  CHECK(tally.names == uint64_t(times) * names);
}

/// Of `tenths` of a millisecond, at home.
int iteration(int i, int tenths) {
  const bool abroad = tenths != 0 ? stress::computes_abroad(tenths) : stress::is_abroad();
  (tenths != 0 ? large_abroad : small_abroad) += abroad;
#pragma omp atomic
  executed[i]++;
  return i;
}

void reduces(int tenths) {
  Tally all;
  long sum = 0, last = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(+ : sum) reduction(tally : all) lastprivate(last)
  for (int i = 0; i < iterations; ++i) {
    all.add(iteration(i, tenths));
    sum += 2L * i;
    last = i;
  }
  CHECK_EQUAL(sum, long(iterations) * (iterations - 1));
  CHECK_EQUAL(last, iterations - 1);
  check(all, 1);
}

/// Each task has an object of its own, as the pattern's was when the loop was met.
void copies(int tenths) {
  {
    Tally given, all;
    given.add(7);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(tally : all)
      {
#pragma omp taskloop num_tasks(100) firstprivate(given) in_reduction(tally : all) nogroup
        for (int i = 0; i < iterations; ++i) {
          CHECK(given.sum >= 7);
          given.sum++; // this task's
          all.add(iteration(i, tenths));
        }
      }
    }
    CHECK_EQUAL(given.sum, 7);
    check(all, 1);
  }
  CHECK_EQUAL(alive, 0);
}

/// A loop of tasks in each task of another.
void nested() {
  Tally all;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(tally : all)
  for (int outer = 0; outer < 4; ++outer) {
    stress::computes_abroad(5);
#pragma omp taskloop grainsize(1) in_reduction(tally : all)
    for (int i = 0; i < iterations; ++i)
      all.add(iteration(i, i % 64 == 0 ? 2 : 0));
  }
  check(all, 4);
}

void everything() {
  reduces(2);
  reduces(0);
  copies(2);
  copies(0);
  nested();
}

} // namespace

int main() {
  for (int round = 0; round < 3; ++round)
    everything();
  if (stress::threads_must_travel())
    for (int more = 0; large_abroad == 0; ++more) {
      CHECK(more < 100);
      everything();
    }
}
