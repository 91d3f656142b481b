// A thread that the program has made is the first to use OpenMP, and main comes later, or at the same time. What the
// regions of such threads share lies on stacks that no other node can reach: their members may go nowhere.
// run:
// run: HETMP_PLACEMENT=auto
// run: HETMP_PLACEMENT=journeys:1 OMP_NUM_THREADS=3
#include "stress.hpp"

#include <omp.h>
#include <thread>

namespace {

constexpr int parts = 64;
constexpr uint64_t rounds = 25;

uint64_t value_of(int part, uint64_t round) { return stress::compute(stress::mix(uint64_t(part), round), 20'000); }

/// All of it lies on the calling thread's stack, also what its members write.
void expect_right_sums(uint64_t round) {
  uint64_t of_part[parts] = {}, sum = 0, want = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int part = 0; part < parts; ++part)
    sum += of_part[part] = value_of(part, round);
  for (int part = 0; part < parts; ++part) {
    CHECK_EQUAL(of_part[part], value_of(part, round));
    want += of_part[part];
  }
  CHECK_EQUAL(sum, want);
}

void run(uint64_t first) {
  for (uint64_t round = first; round < first + rounds; ++round)
    expect_right_sums(round);
}

} // namespace

int main() {
  std::thread(run, 0).join();
  std::thread others[] = {std::thread(run, 100), std::thread(run, 200)};
  run(300);
  for (std::thread& other : others)
    other.join();
}
