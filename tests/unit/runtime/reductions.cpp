// Reductions by every method: the runtime's own choice and each of those that can be forced.
#include "kmpc.hpp"
#include "runtime/sync/reduction.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace hetmp::test {
namespace {

struct Sums {
  int64_t sum;
  int64_t greatest;
};

void combine(void* into, void* from) {
  auto& a = **static_cast<Sums**>(into);
  const auto& b = **static_cast<Sums**>(from);
  a.sum += b.sum;
  a.greatest = std::max(a.greatest, b.greatest);
}

void fold(Sums& shared, const Sums& own) {
  shared.sum += own.sum;
  shared.greatest = std::max(shared.greatest, own.greatest);
}

void fold_atomically(Sums& shared, const Sums& own) {
  std::atomic_ref(shared.sum).fetch_add(own.sum, std::memory_order_relaxed);
  std::atomic_ref greatest(shared.greatest);
  int64_t seen = greatest.load(std::memory_order_relaxed);
  while (seen < own.greatest && !greatest.compare_exchange_weak(seen, own.greatest, std::memory_order_relaxed)) {
  }
}

constexpr SourceLocation atomic_possible = {0, hetmp::runtime::flag_atomic_reduction, 0, 0, nullptr};

/// What a compiler makes of reduction(+: sum) reduction(max: greatest).
void reduce(Member self, const SourceLocation& location, bool waits, Sums own, Sums& shared, CriticalName* lock) {
  void* list[] = {&own};
  const auto begin = waits ? __kmpc_reduce : __kmpc_reduce_nowait;
  const auto end = waits ? __kmpc_end_reduce : __kmpc_end_reduce_nowait;
  switch (begin(&location, self.gtid, 1, sizeof list, list, combine, lock)) {
  case 1:
    fold(shared, own);
    end(&location, self.gtid, lock);
    break;
  case 2:
    fold_atomically(shared, own);
    if (waits)
      end(&location, self.gtid, lock);
    break;
  }
}

void expect_reductions(const SourceLocation& location) {
  static CriticalName lock = {};
  const int constructs = rounds(200);
  for (int threads = 1; threads <= most_members; threads++)
    for (const bool waits : {true, false}) {
      Sums shared = {1000, -1};
      parallel(threads, [&](Member self) {
        for (int construct = 1; construct <= constructs; construct++) {
          reduce(self, location, waits, {self.number + 1, construct * 10 + self.number}, shared, &lock);
          if (!waits)
            __kmpc_barrier(&somewhere, self.gtid);
          EXPECT_EQ(shared.sum, 1000 + construct * threads * (threads + 1) / 2);
          EXPECT_EQ(shared.greatest, construct * 10 + threads - 1);
          __kmpc_barrier(&somewhere, self.gtid);
        }
      });
    }
}

TEST(Reductions, TheRuntimeChooses) {
  expect_reductions(somewhere);
  expect_reductions(atomic_possible);
}

class ForcedReductions : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    __kmpc_global_thread_num(&somewhere); // the settings are read at start, too
    setenv("KMP_FORCE_REDUCTION", GetParam(), 1);
    runtime::read_reduction_settings();
  }
  void TearDown() override {
    unsetenv("KMP_FORCE_REDUCTION");
    runtime::read_reduction_settings();
  }
};

TEST_P(ForcedReductions, GiveTheSameSums) {
  expect_reductions(somewhere);
  expect_reductions(atomic_possible);
}

/// Nobody waits behind them: the private copies are gone when the thread goes on.
TEST_P(ForcedReductions, WithoutBarriersBetween) {
  CriticalName lock = {};
  const int constructs = rounds(500);
  for (int threads = 1; threads <= most_members; threads++) {
    Sums shared = {0, -1};
    parallel(threads, [&](Member self) {
      for (int construct = 0; construct < constructs; construct++)
        reduce(self, atomic_possible, false, {construct, self.number}, shared, &lock);
    });
    EXPECT_EQ(shared.sum, int64_t(threads) * constructs * (constructs - 1) / 2);
    EXPECT_EQ(shared.greatest, threads - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ForcedReductions, testing::Values("critical", "atomic", "tree"),
                         [](const auto& method) { return std::string(method.param); });

} // namespace
} // namespace hetmp::test
