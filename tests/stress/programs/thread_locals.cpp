// Thread-local variables: each thread's own across regions, copied in, and written through pointers by other
// threads.
#include "stress.hpp"

#include <cerrno>
#include <omp.h>
#include <string>

namespace {

constexpr int team = 6;

int counter;
double vector[100];
#pragma omp threadprivate(counter, vector)
thread_local uint64_t own = 5;
thread_local std::string text = "fresh";

struct Counted {
  int value;
  Counted() : value(17) {}
  Counted(const Counted& other) : value(other.value) {}
  Counted& operator=(const Counted& other) = default;
};
Counted counted;
#pragma omp threadprivate(counted)

void stays_between_regions() {
#pragma omp parallel num_threads(team)
  counter = omp_get_thread_num() * 100;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(team)
    counter++;
  }
#pragma omp parallel num_threads(team)
  CHECK_EQUAL(counter, omp_get_thread_num() * 100 + 20);
}

void copied_in() {
  for (int round = 0; round < 10; ++round) {
    counter = round;
    counted.value = 1000 + round;
    for (int i = 0; i < 100; ++i)
      vector[i] = round * i;
#pragma omp parallel num_threads(team) copyin(counter, vector, counted)
    {
      CHECK_EQUAL(counter, round);
      CHECK_EQUAL(counted.value, 1000 + round);
      for (int i = 0; i < 100; ++i)
        CHECK_EQUAL(vector[i], round * i);
      const int me = omp_get_thread_num();
#pragma omp barrier
      counter = -me;
      vector[me] = -1;
#pragma omp barrier
      CHECK_EQUAL(counter, -me);
      for (int i = 0; i < 100; ++i)
        CHECK_EQUAL(vector[i], i == me ? -1 : round * i);
    }
  }
}

/// Addresses of thread-local variables mean the same on all nodes.
void reached_by_others() {
  uint64_t* address[team];
  std::string* string[team];
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    own = uint64_t(me);
    text = "thread " + std::to_string(me);
    address[me] = &own;
    string[me] = &text;
#pragma omp barrier
    for (int round = 1; round < team; ++round) {
      const int other = (me + round) % team;
#pragma omp atomic
      *address[other] += 10;
    }
    CHECK(*string[(me + 1) % team] == "thread " + std::to_string((me + 1) % team));
#pragma omp barrier
    CHECK_EQUAL(own, me + 10 * (team - 1));
    *string[(me + 2) % team] += " changed by a thread on another node, long enough for the heap";
#pragma omp barrier
    CHECK(text == "thread " + std::to_string(me) + " changed by a thread on another node, long enough for the heap");
  }
}

void copied_out() {
#pragma omp parallel num_threads(team)
  {
    for (int round = 0; round < 10; ++round) {
#pragma omp single copyprivate(counter, vector)
      {
        counter = 4000 + round;
        for (int i = 0; i < 100; ++i)
          vector[i] = round + i;
      }
      CHECK_EQUAL(counter, 4000 + round);
      for (int i = 0; i < 100; ++i)
        CHECK_EQUAL(vector[i], round + i);
#pragma omp barrier
    }
  }
}

/// errno is a thread-local variable of the C library.
void own_errno() {
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 50; ++i) {
      errno = 0;
      if (me % 2)
        CHECK_EQUAL(close(-1), -1);
      CHECK_EQUAL(errno, me % 2 ? EBADF : 0);
    }
  }
}

} // namespace

int main() {
  omp_set_dynamic(0);
  CHECK_EQUAL(counted.value, 17);
  stays_between_regions();
  copied_in();
  reached_by_others();
  copied_out();
  own_errno();
}
