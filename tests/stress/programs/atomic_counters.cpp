// Atomic updates of shared counters by all threads: every width that programs use, close together and far
// apart.
#include "stress.hpp"

#include <omp.h>
#include <sched.h>

namespace {

constexpr int rounds = 1500;

struct Counters {
  int32_t signed32 = 0;
  uint8_t byte = 0;
  int64_t signed64 = 0;
  uint64_t largest = 0;
  float single_precision = 0;
  double double_precision = 0;
};

Counters global;

void check(const Counters& counters, int team) {
  CHECK_EQUAL(counters.signed32, 3 * team * rounds);
  CHECK_EQUAL(counters.byte, uint8_t(team * rounds));
  CHECK_EQUAL(counters.signed64, int64_t(team) * rounds * (int64_t(1) << 33));
  CHECK_EQUAL(counters.largest, uint64_t(team) * rounds - 1);
  CHECK_EQUAL(counters.single_precision, team * rounds); // below 2^24: exact
  CHECK_EQUAL(counters.double_precision * 2, team * rounds);
}

void count(Counters& counters, int team) {
#pragma omp parallel num_threads(team)
  {
    const uint64_t me = uint64_t(omp_get_thread_num());
    for (uint64_t i = 0; i < rounds; ++i) {
#pragma omp atomic
      counters.signed32 += 3;
#pragma omp atomic
      counters.byte++;
#pragma omp atomic
      counters.signed64 += int64_t(1) << 33;
#pragma omp atomic
      counters.double_precision += 0.5;
#pragma omp atomic
      counters.single_precision += 1.0f;
      const uint64_t mine = i * uint64_t(team) + me;
#pragma omp critical(largest)
      if (counters.largest < mine)
        counters.largest = mine;
    }
  }
  check(counters, team);
}

/// Tickets by capture: each number is drawn exactly once, and a thread's own tickets ascend.
void draw_tickets(int team) {
  static uint64_t next;
  static uint32_t drawn[8 * rounds];
  next = 0;
  for (uint32_t& count : drawn)
    count = 0;
#pragma omp parallel num_threads(team)
  {
    uint64_t last = 0;
    for (int i = 0; i < rounds; ++i) {
      uint64_t ticket;
#pragma omp atomic capture
      ticket = ++next;
      CHECK(ticket > last && ticket <= uint64_t(team) * rounds);
      last = ticket;
#pragma omp atomic
      drawn[ticket - 1]++;
    }
  }
  for (int i = 0; i < team * rounds; ++i)
    CHECK_EQUAL(drawn[i], 1);
}

/// Standard atomics: a compare-and-swap loop, and a lock made of an exchange.
void compare_and_swap(int team) {
  constexpr int swaps = rounds / 4;
  static std::atomic<uint64_t> sum{0};
  static std::atomic<uint32_t> flag{0};
  static uint64_t guarded;
  sum = 0;
  guarded = 0;
#pragma omp parallel num_threads(team)
  for (int i = 0; i < swaps; ++i) {
    uint64_t seen = sum.load(std::memory_order_relaxed);
    while (!sum.compare_exchange_weak(seen, seen + 7))
      ;
    while (flag.exchange(1, std::memory_order_acquire))
      sched_yield(); // there are more threads than processors
    guarded += 1;    // not atomic: the flag is a lock
    flag.store(0, std::memory_order_release);
  }
  CHECK_EQUAL(sum.load(), 7 * team * swaps);
  CHECK_EQUAL(guarded, team * swaps);
}

} // namespace

int main() {
  Counters on_stack;
  auto* on_heap = new Counters;
  count(global, 4);
  count(on_stack, 3);
  count(*on_heap, 8);
  delete on_heap;
  draw_tickets(8);
  draw_tickets(4);
  compare_and_swap(4);
}
