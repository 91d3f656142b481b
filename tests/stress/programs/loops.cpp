// Loops under every schedule: each iteration once, in order where ordered, with exact reductions.

// run with hetmp: OMP_SCHEDULE=hetprobe
// run with hetmp: HETMP_PLACEMENT=all
// run with hetmp: OMP_SCHEDULE=hetprobe,40
// run with hetmp: OMP_SCHEDULE=hetprobe-i OMP_HET_PTG=5
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_LOOPS=all
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_PLACEMENT=auto
// run with hetmp: OMP_SCHEDULE=dynamic HETMP_LOOPS=all HETMP_CSR=1,2
// run: OMP_SCHEDULE=guided,3
// run: OMP_SCHEDULE=nonmonotonic:dynamic
#include "stress.hpp"

#include <omp.h>
#include <vector>

namespace {

constexpr int most = 3000;
uint16_t times_run[most];

void check_each_once(int trips) {
  for (int i = 0; i < most; ++i)
    CHECK_EQUAL(times_run[i], i < trips ? 1 : 0);
  for (uint16_t& count : times_run)
    count = 0;
}

/// A loop over [0, trips) written in several ways; `times_run` counts by atomics, as iterations may share a
/// page.
void each_once(int team, int trips) {
  uint64_t sum = 0;
#pragma omp parallel for num_threads(team) schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < trips; ++i) {
#pragma omp atomic
    times_run[i]++;
    sum += uint64_t(i);
  }
  CHECK_EQUAL(sum, uint64_t(trips) * uint64_t(trips > 0 ? trips - 1 : 0) / 2);
  check_each_once(trips);

#pragma omp parallel num_threads(team)
  {
#pragma omp for schedule(dynamic, 5) nowait
    for (int64_t i = trips - 1; i >= 0; --i) {
#pragma omp atomic
      times_run[i]++;
    }
#pragma omp for schedule(guided) nowait
    for (unsigned i = 0; i < unsigned(trips); i += 3)
      for (unsigned k = i; k < i + 3 && k < unsigned(trips); ++k) {
#pragma omp atomic
        times_run[k]++;
      }
#pragma omp for schedule(static, 7) nowait
    for (int i = 0; i < trips; ++i) {
#pragma omp atomic
      times_run[i]++;
    }
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < uint64_t(trips); ++i) {
#pragma omp atomic
      times_run[i]++;
    }
#pragma omp single
    for (int i = 0; i < trips; ++i) {
      CHECK_EQUAL(times_run[i], 4);
      times_run[i] = 1;
    }
  }
  check_each_once(trips);
}

void in_order(int team, int trips) {
  std::vector<int> order;
#pragma omp parallel for num_threads(team) schedule(dynamic, 2) ordered
  for (int i = 0; i < trips; ++i) {
    volatile int work = i;
    for (int k = 0; k < i % 7 * 10; ++k)
      work = work + 1;
#pragma omp ordered
    order.push_back(i);
  }
  CHECK_EQUAL(order.size(), trips);
  for (int i = 0; i < trips; ++i)
    CHECK_EQUAL(order[size_t(i)], i);
#pragma omp parallel for num_threads(team) schedule(static) ordered
  for (int i = 0; i < trips; ++i) {
#pragma omp ordered
    if (i % 3 == 0)
      order.push_back(-i);
  }
  for (int i = 0; i < trips; i += 3)
    CHECK_EQUAL(order[size_t(trips + i / 3)], -i);
}

struct Extremes {
  double low = 1e300, high = -1e300;
  void take(const Extremes& other) {
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
  }
};
#pragma omp declare reduction(extremes:Extremes : omp_out.take(omp_in))

void reductions(int team, int visits) {
  for (int visit = 0; visit < visits; ++visit) {
    int64_t sum = 0;
    double product = 1;
    unsigned bits = 0, all = ~0u;
    int low = 1 << 30, high = -1;
    bool every = true;
    Extremes range;
    int parts[64] = {};
#pragma omp parallel for num_threads(team) schedule(runtime) reduction(+ : sum, parts[:64])                            \
    reduction(* : product) reduction(| : bits) reduction(& : all) reduction(min : low) reduction(max : high)           \
    reduction(&& : every) reduction(extremes : range)
    for (int i = 0; i < 512; ++i) {
      sum += i * visit;
      product *= i % 8 == 0 ? 2 : 1;
      bits |= 1u << (i % 32);
      all &= ~(1u << (i % 16));
      low = i + visit < low ? i + visit : low;
      high = i > high ? i : high;
      every = every && i >= 0;
      range.take({double(i - 100), double(i * 2)});
      parts[i % 64] += i;
    }
    CHECK_EQUAL(sum, 511 * 256 * visit);
    CHECK(product == 18446744073709551616.0);
    CHECK_EQUAL(bits, ~0u);
    CHECK_EQUAL(all, 0xffff0000u);
    CHECK_EQUAL(low, visit);
    CHECK_EQUAL(high, 511);
    CHECK(every);
    CHECK(range.low == -100 && range.high == 1022);
    for (int i = 0; i < 64; ++i)
      CHECK_EQUAL(parts[i], 8 * i + 64 * 28);
  }
}

/// The same loop often: a probing schedule changes its mind between visits, the result may not.
void visits(int team, int times) {
  static double grid[2][64][64];
  for (int visit = 0; visit < times; ++visit) {
    auto& from = grid[visit % 2];
    auto& to = grid[(visit + 1) % 2];
#pragma omp parallel for num_threads(team) schedule(runtime)
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 64; ++column)
        to[row][column] = from[row][column] + row;
  }
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column)
      CHECK(grid[times % 2][row][column] == double(times * row));
}

} // namespace

int main() {
  for (int trips : {0, 1, 3, 17, 100, 800})
    for (int team : {1, 3, 4, 8})
      each_once(team, trips);
  in_order(4, 60);
  in_order(8, 33);
  for (int team : {2, 4, 5, 8})
    reductions(team, 8);
  visits(4, 30);
}
