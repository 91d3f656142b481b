// Threads the program has made itself: each is the primary of its own teams, all at the same time.
#include "kmpc.hpp"

#include <thread>
#include <vector>

namespace hetmp::test {
namespace {

constexpr int roots = 4;

template <class Body> void with_root_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int root = 0; root < roots; root++)
    threads.emplace_back([&body, root] { body(root); });
  for (std::thread& thread : threads)
    thread.join();
}

/// A region with a bit of everything; the sum of 1..100, times the team's size.
int64_t region(int threads) {
  int64_t sum = 0;
  CriticalName name = {};
  parallel(threads, [&](Member self) {
    int64_t own = 0;
    LoopEntries<int64_t>::init(&somewhere, self.gtid, dynamic_chunked, 1, 100, 1, 3);
    int32_t is_last;
    int64_t lower, upper, stride;
    while (LoopEntries<int64_t>::next(&somewhere, self.gtid, &is_last, &lower, &upper, &stride))
      for (int64_t i = lower; i <= upper; i++)
        own += i;
    __kmpc_barrier(&somewhere, self.gtid);
    __kmpc_critical(&somewhere, self.gtid, &name);
    sum += own * omp_get_num_threads();
    __kmpc_end_critical(&somewhere, self.gtid, &name);
  });
  return sum;
}

TEST(RootThreads, FormTeamsAtTheSameTime) {
  with_root_threads([](int root) {
    for (int round = 0; round < rounds(300); round++) {
      const int threads = 1 + (round + root) % 4;
      ASSERT_EQ(region(threads), 5050 * threads);
    }
  });
}

TEST(RootThreads, ComeAndGo) {
  // Thread numbers, records and workers of ended threads are used again.
  for (int generation = 0; generation < rounds(60); generation++)
    with_root_threads([&](int root) { EXPECT_EQ(region(1 + root), 5050 * (1 + root)); });
}

TEST(RootThreads, WhileTheFirstOneIsInARegion) {
  parallel(2, [](Member self) {
    if (self.number == 0)
      with_root_threads([](int root) { EXPECT_EQ(region(1 + root), 5050 * (1 + root)); });
    __kmpc_barrier(&somewhere, self.gtid);
  });
}

TEST(RootThreads, ShareCriticalSectionsAndLocks) {
  static CriticalName name = {};
  int64_t lock;
  omp_init_lock(&lock);
  int in_critical = 0;
  int under_lock = 0;
  const int turns = rounds(200);
  with_root_threads([&](int) {
    for (int turn = 0; turn < turns; turn++)
      parallel(2, [&](Member self) {
        __kmpc_critical(&somewhere, self.gtid, &name);
        increment_slowly(in_critical, turn);
        __kmpc_end_critical(&somewhere, self.gtid, &name);
        omp_set_lock(&lock);
        increment_slowly(under_lock, turn);
        omp_unset_lock(&lock);
      });
  });
  EXPECT_EQ(in_critical, roots * turns * 2);
  EXPECT_EQ(under_lock, roots * turns * 2);
}

TEST(RootThreads, NestTeamsAtTheSameTime) {
  with_root_threads([](int root) {
    omp_set_max_active_levels(2);
    for (int round = 0; round < rounds(60); round++) {
      int members[3][2] = {};
      parallel(3, [&](Member outside) {
        parallel(2, [&](Member inside) { members[outside.number][inside.number] = round + root; });
      });
      for (const auto& team : members)
        for (const int value : team)
          ASSERT_EQ(value, round + root);
    }
  });
}

} // namespace
} // namespace hetmp::test
