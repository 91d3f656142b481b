// Random numbers of the C library: one sequence for the program, whichever thread of whichever node draws next. Each
// thread draws in its turn; what they have drawn is what one thread with the same seed would.
// run: HETMP_PLACEMENT=all
// run: HETMP_PLACEMENT=journeys:1
// run: HETMP_PLACEMENT=random:3
#include "stress.hpp"

#include <cstdlib>
#include <omp.h>
#include <sys/wait.h>

namespace {

/// What the C library's reentrant functions, which know of no nodes, draw.
struct Sequence {
  char table[128] = {};
  random_data additive{};
  drand48_data congruential{};
  unsigned short own[3] = {1, 2, 3};

  explicit Sequence(unsigned seed) {
    CHECK_EQUAL(initstate_r(seed, table, sizeof table, &additive), 0);
    srand48_r(long(seed), &congruential);
  }
  long next() {
    int32_t value = 0;
    random_r(&additive, &value);
    return value;
  }
  double next48() {
    double value = 0;
    drand48_r(&congruential, &value);
    return value;
  }
  long next_of_own() {
    long value = 0;
    nrand48_r(own, &congruential, &value);
    return value;
  }
};

unsigned short own[3] = {1, 2, 3};

void draw(Sequence& want) {
  CHECK_EQUAL(rand(), want.next());
  CHECK_EQUAL(random(), want.next());
  CHECK(drand48() == want.next48());
  CHECK_EQUAL(nrand48(own), want.next_of_own());
}

void in_turns(Sequence& want) {
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == omp_get_thread_num())
      for (int i = 0; i < 50; ++i) {
        draw(want);
        if (i % 10 == 0)
          stress::computes_abroad(2);
      }
#pragma omp barrier
  }
}

/// All at once: no number is drawn twice.
void at_once(unsigned seed) {
  Sequence want(seed);
  const int each = stress::portion(200);
  long sum = 0, drawn = 0;
#pragma omp parallel reduction(+ : sum, drawn)
  for (int i = 0; i < each; ++i, ++drawn)
    sum += rand();
  for (; drawn > 0; --drawn)
    sum -= want.next();
  CHECK_EQUAL(sum, 0);
}

/// A child goes on with the same sequence, and its parent as if nothing had been drawn.
void by_a_child(Sequence& want) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    draw(want);
    _exit(0);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
}

void with_a_table(unsigned seed) {
  alignas(8) static char table[256];
  char* const before = initstate(seed, table, sizeof table);
  const long first = random();
  CHECK(setstate(before) == table);
  const long other = random();
  CHECK(setstate(table) == before);
  srandom(seed);
  CHECK_EQUAL(random(), first);
  CHECK(setstate(before) == table);
  CHECK(other != random());
}

/// Numbers of their own, which each thread draws wherever it is: what it gets depends on nothing else.
void of_their_own(unsigned seed, drand48_data& as_set) {
  const int each = stress::portion(20'000);
#pragma omp parallel
  {
    const auto me = static_cast<unsigned short>(omp_get_thread_num());
    unsigned short mine[3] = {me, static_cast<unsigned short>(seed), 5};
    unsigned short same[3] = {me, static_cast<unsigned short>(seed), 5};
    drand48_data state = as_set;
    for (int i = 0; i < each; ++i) {
      double value = 0;
      erand48_r(same, &state, &value);
      CHECK(erand48(mine) == value);
      long number = 0;
      jrand48_r(same, &state, &number);
      CHECK_EQUAL(jrand48(mine), number);
    }
  }
}

/// The multiplier is another one until the next seed.
void with_a_multiplier(unsigned seed) {
  unsigned short set[7] = {1, 2, 3, 0xe66d, 0xbeec, 5, 11};
  drand48_data state{}, usual{};
  lcong48_r(set, &state);
  srand48_r(long(seed), &usual);
  lcong48(set);
  double value = 0;
  drand48_r(&state, &value);
  CHECK(drand48() == value);
  const char* const placement = getenv("HETMP_PLACEMENT");
  if (!placement || strncmp(placement, "journeys", 8) == 0) // regions stay at home from now on, where they may
    of_their_own(seed, state);
  srand48(long(seed));
  of_their_own(seed, usual);
}

} // namespace

int main() {
  Sequence as_if_seeded_by_1(1);
  CHECK_EQUAL(rand(), as_if_seeded_by_1.next());
  for (unsigned round = 0; round < 5; ++round) {
    const unsigned seed = unsigned(stress::seed()) + round;
    srand(seed);
    srand48(long(seed));
    for (unsigned i = 0; i < 3; ++i)
      own[i] = static_cast<unsigned short>(i + 1);
    Sequence want(seed);
    in_turns(want);
    by_a_child(want);
    in_turns(want);
    srandom(seed);
    at_once(seed);
    with_a_table(seed);
    drand48_data usual{};
    srand48_r(1, &usual);
    of_their_own(seed, usual);
  }
  with_a_multiplier(unsigned(stress::seed()));
}
