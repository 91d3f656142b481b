// Threads that count side by side; the first argument says where their counters lie.
//   global   neighbours in a global array
//   heap     neighbours in a block of the heap, which is freed before the end
//   padded   each on a page of its own
//   common   one counter for all
#include <omp.h>
#include <string>

namespace planted {

constexpr int threads = 4, regions = 5, rounds = 100;

long counters[threads];
long common;

struct Padded {
  alignas(4096) volatile long count;
};
Padded padded[threads];

struct Tally {
  long count[64];
};

} // namespace planted

using namespace planted;

__attribute__((noinline)) Tally* make_tally() {
  Tally* tally = new Tally();
  tally->count[0] = 0;
  return tally;
}

/// All threads meet after each step: every step needs the page at least once more on each node.
__attribute__((noinline)) void count_in_turns(volatile long* first, int stride) {
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round) {
    volatile long* mine = first + omp_get_thread_num() * stride;
    *mine = *mine + 1;
#pragma omp barrier
  }
}

__attribute__((noinline)) void count_together() {
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round) {
#pragma omp atomic
    ++common;
#pragma omp barrier
  }
}

bool is_right(const volatile long* first, int stride) {
  for (int i = 0; i < threads; ++i)
    if (first[i * stride] != long(regions) * rounds)
      return false;
  return true;
}

int main(int argc, char** argv) {
  const std::string where = argc > 1 ? argv[1] : "global";
  bool right = true;
  if (where == "heap") {
    Tally* tally = make_tally();
    for (int i = 0; i < regions; ++i)
      count_in_turns(tally->count, 1);
    right = is_right(tally->count, 1);
    delete tally;
  } else if (where == "common") {
    for (int i = 0; i < regions; ++i)
      count_together();
    right = common == long(threads) * regions * rounds;
  } else {
    volatile long* first = where == "padded" ? &padded[0].count : counters;
    const int stride = where == "padded" ? int(sizeof(Padded) / sizeof(long)) : 1;
    for (int i = 0; i < regions; ++i)
      count_in_turns(first, stride);
    right = is_right(first, stride);
  }
  return right ? 0 : 1;
}
