// KMP_DETERMINISTIC_REDUCTION: sums of floating-point numbers are those of the threads' parts in the order of thread
// numbers, to the last bit, wherever threads are.
// run: KMP_DETERMINISTIC_REDUCTION=true OMP_NUM_THREADS=2
// run with hetmp: KMP_DETERMINISTIC_REDUCTION=true HETMP_PLACEMENT=origin OMP_NUM_THREADS=7
// run with hetmp: KMP_DETERMINISTIC_REDUCTION=true HETMP_PLACEMENT=all OMP_NUM_THREADS=7
// run with hetmp: KMP_DETERMINISTIC_REDUCTION=true HETMP_PLACEMENT=all OMP_NUM_THREADS=4
// run with hetmp: KMP_DETERMINISTIC_REDUCTION=true HETMP_PLACEMENT=random:7 OMP_NUM_THREADS=6
// run with hetmp: KMP_DETERMINISTIC_REDUCTION=true HETMP_PLACEMENT=random:8 OMP_NUM_THREADS=3
#include "stress.hpp"

#include <cstring>
#include <omp.h>

namespace {

constexpr int most_members = 64;
constexpr int count = 3000;
double values[count];
double parts[most_members][2];

bool are_same(double one, double other) { return std::memcmp(&one, &other, sizeof one) == 0; }

/// Of the parts, from `begin` on.
double in_order(double begin, int members, int which) {
  double sum = parts[0][which];
  for (int member = 1; member < members; ++member)
    sum += parts[member][which];
  return begin + sum;
}

/// The loop has a barrier; or there is one behind it, where members have gone on in between.
void sums(bool waits) {
  double sum = 0.1, squares = 0.2;
  int members = 0;
#pragma omp parallel
  {
    const int member = omp_get_thread_num();
    CHECK(member < most_members);
    double own[2] = {0, 0};
#pragma omp for schedule(static)
    for (int i = 0; i < count; ++i) {
      own[0] += values[i];
      own[1] += values[i] * values[i];
    }
    std::memcpy(parts[member], own, sizeof own);
    if (waits) {
#pragma omp for schedule(static) reduction(+ : sum, squares)
      for (int i = 0; i < count; ++i) {
        sum += values[i];
        squares += values[i] * values[i];
      }
    } else {
#pragma omp for schedule(static) reduction(+ : sum, squares) nowait
      for (int i = 0; i < count; ++i) {
        sum += values[i];
        squares += values[i] * values[i];
      }
      stress::compute(uint64_t(member), 500);
    }
#pragma omp single
    members = omp_get_num_threads();
  }
  CHECK(are_same(sum, in_order(0.1, members, 0)));
  CHECK(are_same(squares, in_order(0.2, members, 1)));
}

} // namespace

int main() {
  stress::Random random(11);
  for (int round = 0; round < 40; ++round) {
    for (double& value : values)
      value = double(random.below(1'000'000)) * (random.below(2) ? 1e-9 : 1e6) / 3;
    sums(true);
    sums(false);
  }
}
