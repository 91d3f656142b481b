// Tasks of a region at home whose threads are executed elsewhere while they execute them: at barriers, at a region's
// end, inside other tasks that wait. What such a task may do: generate others and wait for them, wait for a taskgroup,
// reduce, throw and catch, lock, allocate, copy objects; all of it in the name of the thread that it is tied to.
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7 OMP_STACKSIZE=512K
// run: HETMP_PLACEMENT=journeys:3 OMP_NUM_THREADS=2
// run: HETMP_PLACEMENT=journeys:4 OMP_CANCELLATION=true
#include "stress.hpp"

#include <array>
#include <memory>
#include <omp.h>
#include <stdexcept>
#include <vector>

namespace {

using stress::computes_abroad;

constexpr int most_members = 16;
std::atomic<long> at_barriers{0}, at_ends{0}, in_waits{0}, in_loops{0};

/// Of tasks that one member generates, the team executes each once.
template <bool meets> void tasks_of_one(std::atomic<long>& abroad) {
  constexpr int tasks = 24;
  uint64_t values[tasks];
  std::atomic<long> executed{0};
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(values, executed, abroad) firstprivate(i)
      {
        const int member = omp_get_thread_num();
        abroad += computes_abroad();
        CHECK_EQUAL(omp_get_thread_num(), member);
        CHECK(omp_get_num_threads() <= most_members);
        values[i] = stress::mix(uint64_t(i));
        executed++;
      }
    }
    if (meets) {
#pragma omp barrier
      CHECK_EQUAL(executed, tasks);
    }
  }
  CHECK_EQUAL(executed, tasks);
  for (int i = 0; i < tasks; ++i)
    CHECK(values[i] == stress::mix(uint64_t(i)));
}

/// A tree in which each task waits for its two children, and has them write where it waits.
uint64_t tree(int depth, uint64_t name) {
  in_waits += computes_abroad(4);
  if (depth == 0)
    return stress::mix(name);
  uint64_t left = 0, right = 0;
#pragma omp task shared(left)
  left = tree(depth - 1, 2 * name);
#pragma omp task shared(right) if (depth != 2)
  right = tree(depth - 1, 2 * name + 1);
  computes_abroad(3);
#pragma omp taskwait
  return left * 3 + right;
}

uint64_t tree_alone(int depth, uint64_t name) {
  return depth == 0 ? stress::mix(name) : tree_alone(depth - 1, 2 * name) * 3 + tree_alone(depth - 1, 2 * name + 1);
}

void trees() {
  uint64_t value = 0;
#pragma omp parallel
#pragma omp single
  value = tree(5, 1);
  CHECK(value == tree_alone(5, 1));
}

/// One inside the other: each waits for the next one.
void chain(int length, std::atomic<int>& ended) {
  computes_abroad(length % 16 == 0 ? 10 : 0);
  if (length != 0) {
#pragma omp task shared(ended)
    chain(length - 1, ended);
#pragma omp taskwait
  }
  ended++;
}

void chains() {
  std::atomic<int> ended{0};
#pragma omp parallel
#pragma omp single
  chain(100, ended);
  CHECK_EQUAL(ended, 101);
}

void loops_and_groups() {
  long sum = 0, iterations = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 1; i <= 12; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        {
          sum += i;
          computes_abroad(10);
          sum += i;
        }
      }
    }
    CHECK_EQUAL(sum, 156);
#pragma omp taskloop grainsize(8) shared(iterations)
    for (int i = 0; i < 200; ++i) {
      in_loops += computes_abroad(i % 8 == 0 ? 10 : 1); // a task long enough to leave
#pragma omp atomic
      iterations++;
    }
    CHECK_EQUAL(iterations, 200);
  }
}

std::atomic<int> alive{0};

/// Counts itself.
class Object {
 public:
  explicit Object(int value) : value_(value) { alive++; }
  Object(const Object& other) : value_(other.value_) { alive++; }
  Object& operator=(const Object&) = delete;
  ~Object() {
    CHECK(value_ >= 0);
    value_ = -1;
    alive--;
  }
  int value() const { return value_; }

 private:
  int value_;
};

void objects_and_exceptions() {
  std::atomic<int> caught{0};
  long total = 0;
  std::vector<int> found;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; ++i) {
    const Object object(i);
#pragma omp task firstprivate(object) shared(caught, total, found)
    {
      computes_abroad(10);
      const auto block = std::make_unique<std::vector<int>>(100, object.value());
      computes_abroad(3);
#pragma omp critical
      {
        computes_abroad(1);
        total += (*block)[99];
        found.push_back(object.value());
      }
      try {
        computes_abroad(5);
        if (object.value() % 2 == 0)
          throw std::runtime_error("even");
      } catch (const std::runtime_error&) {
        caught++;
      }
    }
  }
  CHECK_EQUAL(total, 120);
  CHECK_EQUAL(long(found.size()), 16);
  CHECK_EQUAL(caught, 8);
  CHECK_EQUAL(alive, 0);
}

/// Dependences: each cell has the values of its turn only.
void chains_of_dependences() {
  constexpr int cells = 4, turns = 10;
  long cell[cells] = {};
#pragma omp parallel
#pragma omp single
  for (int turn = 0; turn < turns; ++turn)
    for (int i = 0; i < cells; ++i) {
#pragma omp task depend(inout : cell[i]) depend(in : cell[(i + 1) % cells]) shared(cell)
      {
        CHECK_EQUAL(cell[i], turn);
        computes_abroad(6);
        CHECK_EQUAL(cell[i], turn);
        cell[i]++;
      }
    }
  for (const long value : cell)
    CHECK_EQUAL(value, turns);
}

/// What tasks generate that are executed elsewhere is executed there, each inside of the one that generates it: with
/// its own copies, which are destroyed, however they are made, and not so deep that a stack would not hold them.
std::atomic<long> inside{0};

long harvest(int depth, const Object& object, const std::array<int, 100>& many) {
  long sum = object.value() + many[99];
  inside += computes_abroad(2) && depth < 3;
  if (depth == 0)
    return sum;
  long parts[5] = {};
  const Object own(depth);
  std::array<int, 100> values{};
  values[99] = depth;
#pragma omp task shared(parts) firstprivate(own, values)
  parts[0] = harvest(depth - 1, own, values);
#pragma omp task shared(parts) firstprivate(values, depth)
  parts[1] = harvest(depth - 1, Object(1), values);
#pragma omp task shared(parts, own) firstprivate(values) if (depth % 2 == 0)
  parts[2] = harvest(depth - 1, own, values);
#pragma omp task shared(parts, own) firstprivate(values) final(depth == 2)
  parts[3] = harvest(depth - 1, own, values) + (depth == 2 && !omp_in_final());
#pragma omp taskgroup
  {
#pragma omp task untied shared(parts, values)
    parts[4] = harvest(0, own, values);
#pragma omp taskyield
  }
#pragma omp taskwait
  for (const long part : parts)
    sum += part;
  long squares = 0;
  if (depth == 3) {
#pragma omp taskloop shared(squares) grainsize(3)
    for (int i = 0; i < 10; ++i)
#pragma omp atomic
      squares += i * i;
  }
  return sum + squares;
}

long harvest_alone(int depth, int value, int last) {
  long sum = value + last;
  if (depth == 0)
    return sum;
  sum += 3 * harvest_alone(depth - 1, depth, depth) + harvest_alone(depth - 1, 1, depth) + 2 * depth;
  return sum + (depth == 3 ? 285 : 0);
}

void harvests() {
  long sums[3] = {};
#pragma omp parallel
#pragma omp single
  for (long& sum : sums) {
#pragma omp task shared(sum)
    {
      std::array<int, 100> values{};
      sum = harvest(4, Object(7), values);
    }
  }
  for (const long sum : sums)
    CHECK_EQUAL(sum, harvest_alone(4, 7, 0));
  CHECK_EQUAL(alive, 0);
}

/// What a task sets is its own, and of those that it generates from then on.
void settings(int depth, int expected) {
  computes_abroad(2);
  CHECK_EQUAL(omp_get_max_threads(), expected);
  if (depth == 0)
    return;
  for (int i = 1; i <= 3; ++i) {
    if (i == 2) {
      expected = 10 * depth;
      omp_set_num_threads(expected);
    }
    computes_abroad(1);
#pragma omp task firstprivate(depth, expected)
    settings(depth - 1, expected);
    CHECK_EQUAL(omp_get_max_threads(), expected);
    if (i == 3)
      omp_set_num_threads(expected = 7);
  }
#pragma omp taskwait
  CHECK_EQUAL(omp_get_max_threads(), expected);
}

void settings_of_tasks() {
#pragma omp parallel
#pragma omp single
  {
    const int expected = omp_get_max_threads();
    for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(expected)
      settings(3, expected);
    }
  }
}

/// Each generates the next one, and ends.
void relay(int left, std::atomic<long>& passed) {
  passed++;
  if (left % 5000 == 0)
    computes_abroad(4);
  if (left != 0) {
#pragma omp task shared(passed) firstprivate(left)
    relay(left - 1, passed);
  }
}

void relays() {
  std::atomic<long> passed{0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(passed)
    relay(20'000, passed);
  }
  CHECK_EQUAL(passed, 4 * 20'001);
}

void everything() {
  tasks_of_one<true>(at_barriers);
  tasks_of_one<false>(at_ends);
  trees();
  loops_and_groups();
  harvests();
}

} // namespace

int main() {
  for (int round = 0; round < 3; ++round)
    everything();
  chains();
  settings_of_tasks();
  relays();
  objects_and_exceptions();
  chains_of_dependences();
  if (stress::threads_must_travel()) // otherwise all that would have shown nothing
    // Where regions may be cancelled, their threads meet before tasks are executed at the end.
    for (int more = 0;
         at_barriers == 0 || (at_ends == 0 && !omp_get_cancellation()) || in_waits == 0 || in_loops == 0 || inside == 0;
         ++more) {
      CHECK(more < 100);
      everything();
    }
}
