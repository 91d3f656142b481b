// Copies of pages count as memory: when nodes need more of them than there is, the program ends with a line, and is not
// killed. Pages that only move from node to node do not add up.

// run: HETMP_MEMORY=32M
// exit on several nodes: 70
// said on several nodes: hetmp: node \d has no memory left for copies of the program's pages: the nodes of this machine may use 32.0 MiB together \(HETMP_MEMORY sets another limit\); fewer nodes need fewer copies
// said on several nodes: hetmp: node \d \(process \d+\) ended with exit code 70; the program cannot go on without its memory
#include "stress.hpp"

#include <omp.h>
#include <vector>

int main() {
  constexpr int team = 4;
  constexpr size_t words = (size_t(20) << 20) / sizeof(long), page_words = 4096 / sizeof(long);
  std::vector<long> numbers(words, 1);
  // Each thread writes all of it in its turn: there is one copy at any time.
#pragma omp parallel num_threads(team)
  for (int turn = 0; turn < team; ++turn) {
    if (turn == omp_get_thread_num())
      for (size_t i = 0; i < words; i += page_words)
        numbers[i] += turn;
#pragma omp barrier
  }
  for (size_t i = 0; i < words; i += page_words)
    CHECK_EQUAL(numbers[i]++, 1 + team * (team - 1) / 2);
  // Now the first node has it. All of them read it: as many copies as nodes.
  long sum = 0;
#pragma omp parallel num_threads(team) reduction(+ : sum)
  for (size_t i = 0; i < words; i += page_words)
    sum += numbers[i];
  CHECK_EQUAL(sum, long(words / page_words) * team * (2 + team * (team - 1) / 2));
}
