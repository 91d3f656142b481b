// Threads that count side by side; the first argument says where their counters lie.
//   global   neighbours on the pages of a global array
//   heap     neighbours on the pages of a block of the heap, which is freed before the end
//   padded   each on pages of its own
//   common   counters for all
// Each thread has a counter on each of some pages: what the pages cost must stand out from what the barriers between the steps
// cost, also on a machine that has other things to do.
#include <omp.h>
#include <string>

namespace planted {

constexpr int threads = 4, regions = 5, rounds = 40, pages = 16;
constexpr int page = 4096 / sizeof(long);

alignas(4096) long counters[pages * page];
alignas(4096) long common[pages * page];
alignas(4096) long padded[threads * pages * page];

struct Tally {
  long count[pages * page];
};

} // namespace planted

using namespace planted;

__attribute__((noinline)) Tally* make_tally() {
  return new Tally();
}

/// All threads meet after each step: every step needs each page at least once more on each node.
__attribute__((noinline)) void count_in_turns(volatile long* first, int stride) {
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round) {
    volatile long* mine = first + omp_get_thread_num() * stride;
    for (int i = 0; i < pages; ++i)
      mine[i * page] = mine[i * page] + 1;
#pragma omp barrier
  }
}

__attribute__((noinline)) void count_together() {
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < pages; ++i)
#pragma omp atomic
      ++common[i * page];
#pragma omp barrier
  }
}

bool is_right(const volatile long* first, int stride, int counters_of_page = threads, long wanted = long(regions) * rounds) {
  for (int i = 0; i < counters_of_page; ++i)
    for (int j = 0; j < pages; ++j)
      if (first[i * stride + j * page] != wanted)
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
    right = is_right(common, 0, 1, long(threads) * regions * rounds);
  } else {
    volatile long* first = where == "padded" ? padded : counters;
    const int stride = where == "padded" ? pages * page : 1;
    for (int i = 0; i < regions; ++i)
      count_in_turns(first, stride);
    right = is_right(first, stride);
  }
  return right ? 0 : 1;
}
