// What C++20 offers for waiting, between threads of several nodes: atomic objects of several sizes, flags, semaphores,
// latches and barriers.

// flags: -std=c++20
#include "stress.hpp"

#include <atomic>
#include <barrier>
#include <cstdint>
#include <latch>
#include <memory>
#include <omp.h>
#include <semaphore>

namespace {

constexpr int team = 4, rounds = 40;

/// A number goes up; each thread waits until it is its turn.
template <class Number> void turns() {
  std::atomic<Number> turn{0};
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < rounds; ++i) {
      const Number mine = Number(i * team + me);
      for (Number now; (now = turn.load()) != mine;)
        turn.wait(now);
      turn.store(Number(mine + 1));
      turn.notify_all();
    }
  }
  CHECK_EQUAL(turn.load(), Number(rounds * team));
}

void flags() {
  std::atomic_flag ready[rounds] = {};
  int seen = 0;
#pragma omp parallel num_threads(team) reduction(+ : seen)
  for (int i = 0; i < rounds; ++i) {
    if (omp_get_thread_num() == i % team) {
      ready[i].test_and_set();
      ready[i].notify_all();
    } else {
      ready[i].wait(false);
    }
    seen += ready[i].test();
  }
  CHECK_EQUAL(seen, team * rounds);
}

void semaphores() {
  std::counting_semaphore<10> places(2);
  std::binary_semaphore one(1);
  std::atomic<int> inside{0};
  int counted = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < rounds; ++i) {
    places.acquire();
    CHECK(inside.fetch_add(1) < 2);
    one.acquire();
    counted++;
    one.release();
    inside--;
    places.release();
  }
  CHECK_EQUAL(counted, team * rounds);
}

void latches() {
  for (int round = 0; round < rounds; ++round) {
    auto latch = std::make_unique<std::latch>(team);
    int arrived[team] = {};
#pragma omp parallel num_threads(team)
    {
      arrived[omp_get_thread_num()] = 1;
      latch->arrive_and_wait();
      for (int each : arrived)
        CHECK_EQUAL(each, 1);
    }
  }
}

void barriers() {
  int completed = 0;
  int arrived[team] = {};
  std::barrier barrier(team, [&completed]() noexcept { completed++; });
#pragma omp parallel num_threads(team)
  for (int round = 1; round <= rounds; ++round) {
    arrived[omp_get_thread_num()] = round;
    barrier.arrive_and_wait();
    for (int each : arrived)
      CHECK_EQUAL(each, round);
    CHECK_EQUAL(completed, 2 * round - 1);
    barrier.arrive_and_wait();
  }
  CHECK_EQUAL(completed, 2 * rounds);
}

} // namespace

int main() {
  turns<int>();
  turns<long>();
  turns<unsigned char>();
  flags();
  semaphores();
  latches();
  barriers();
}
