// Tasks that threads of other nodes execute: whoever executes them, everything that they are waited for by, and what
// they leave, is as ever.
#include "check.h"

#include <omp.h>

namespace {

constexpr int threads = 4; // on two nodes or four, each has threads that generate nothing
constexpr double task_seconds = 0.001;

double work() {
  double sum = 0;
  for (const double end = omp_get_wtime() + task_seconds; omp_get_wtime() < end;)
    sum += 1e-9;
  return sum;
}

struct Counted { // a copy goes with each task, and ends with it
  int* alive;
  explicit Counted(int* counter) : alive(counter) { raise_by_one(alive); }
  Counted(const Counted& other) : alive(other.alive) { raise_by_one(alive); }
  ~Counted() { __atomic_fetch_sub(alive, 1, __ATOMIC_RELAXED); }
};

// One thread generates, all others wait at the barrier. Sooner or later each of them executes something.
void everybody_takes_part() {
  constexpr int most_tasks = 20000;
  static int executed[most_tasks], by_thread[threads];
  int generated = 0, busy = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  while (busy < threads && generated < most_tasks) {
    int* mine = &executed[generated++];
#pragma omp task firstprivate(mine) shared(busy)
    {
      work();
      *mine += 1;
      if (raise_by_one(&by_thread[omp_get_thread_num()]) == 0)
        raise_by_one(&busy);
    }
    if (generated % 32 == 0) {
#pragma omp taskwait
    }
  }
  CHECK_EQUAL(busy, threads);
  for (int i = 0; i < generated; i++)
    CHECK_EQUAL(executed[i], 1);
}

// What each task waits for has been done, wherever; the order of a chain is kept.
void in_order() {
  constexpr int chains = 8, length = 12;
  long value[chains] = {};
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int step = 1; step <= length; step++)
    for (int chain = 0; chain < chains; chain++) {
#pragma omp task depend(inout : value[chain]) firstprivate(step, chain) shared(value)
      {
        work();
        value[chain] = value[chain] * 3 + step;
      }
    }
  long expected = 0;
  for (int step = 1; step <= length; step++)
    expected = expected * 3 + step;
  for (long one : value)
    CHECK_EQUAL(one, expected);
}

// A taskgroup waits for descendants, taskwait for children, and copies of variables end.
void descendants() {
  constexpr int children = 24, grandchildren = 4;
  int done[children] = {}, alive = 0, total = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    for (int child = 0; child < children; child++) {
      Counted copy(&alive);
#pragma omp task firstprivate(copy, child) shared(done, total)
      {
        work();
        CHECK(*copy.alive > 0);
        for (int i = 0; i < grandchildren; i++) {
#pragma omp task firstprivate(child) shared(done, total)
          {
            work();
            raise_by_one(&done[child]);
            raise_by_one(&total);
          }
        }
        if (child % 2 == 0) {
#pragma omp taskwait
          CHECK_EQUAL(done[child], grandchildren);
        }
      }
    }
    CHECK_EQUAL(total, children * grandchildren);
  }
  CHECK_EQUAL(alive, 0);
}

// A task has the ICVs of the one that generated it.
void inherited() {
  int wrong = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_set_schedule(omp_sched_guided, 7);
    for (int i = 0; i < 40; i++) {
#pragma omp task shared(wrong)
      {
        omp_sched_t kind;
        int chunk;
        omp_get_schedule(&kind, &chunk);
        work();
        if ((kind & ~omp_sched_monotonic) != omp_sched_guided || chunk != 7)
          raise_by_one(&wrong);
        omp_set_schedule(omp_sched_static, 1); // for itself only
      }
    }
  }
  CHECK_EQUAL(wrong, 0);
}

void loop_of_tasks() {
  constexpr int trips = 300;
  static int executed[trips];
  long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < trips; i++) {
      if (i % 3 == 0)
        work();
      executed[i]++;
    }
#pragma omp taskloop grainsize(10) reduction(+ : sum)
    for (int i = 0; i < trips; i++)
      sum += i;
  }
  CHECK_EQUAL(sum, trips * (trips - 1) / 2);
  for (int one : executed)
    CHECK_EQUAL(one, 1);
}

} // namespace

int main() {
  everybody_takes_part();
  in_order();
  descendants();
  inherited();
  loop_of_tasks();
  return finish();
}
