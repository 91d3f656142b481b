// omp_lock_t and omp_nest_lock_t in one process. (Between node processes: tests/conformance.)
#include "runtime/abi/omp/omp_routines.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

extern "C" {
void __kmpc_init_lock(void*, int, void**);
void __kmpc_set_lock(void*, int, void**);
void __kmpc_unset_lock(void*, int, void**);
int __kmpc_test_lock(void*, int, void**);
void omp_init_lock_(void*);
int omp_test_lock_(void*);
}

namespace {

constexpr int threads = 4;
constexpr int rounds = 20000;

/// A lock variable as LLVM's omp.h declares it, between guards that nobody may write.
struct Guarded {
  uint64_t before = 0x5555555555555555;
  void* lock = reinterpret_cast<void*>(uintptr_t(0x1234567800000000)); // rubbish until initialised
  uint64_t after = 0x5555555555555555;
};

template <class Body> void on_threads(Body body) {
  std::vector<std::thread> team;
  std::atomic<int> started{0};
  for (int number = 0; number < threads; ++number)
    team.emplace_back([&, number] {
      started.fetch_add(1);
      while (started.load() < threads) // all at once, or the first is done before the last begins
        std::this_thread::yield();
      body(number);
    });
  for (std::thread& thread : team)
    thread.join();
}

template <class Body> auto on_another_thread(Body body) {
  decltype(body()) result{};
  std::thread([&] { result = body(); }).join();
  return result;
}

TEST(Lock, ExcludesThreads) {
  void* lock;
  omp_init_lock(&lock);
  long count = 0;
  on_threads([&](int) {
    for (int round = 0; round < rounds; ++round) {
      omp_set_lock(&lock);
      ++count;
      omp_unset_lock(&lock);
    }
  });
  EXPECT_EQ(count, long(threads) * rounds);
  omp_destroy_lock(&lock);
}

TEST(Lock, TestTellsWhetherItWasFree) {
  void* lock;
  omp_init_lock(&lock);
  EXPECT_EQ(omp_test_lock(&lock), 1);
  EXPECT_EQ(omp_test_lock(&lock), 0);
  EXPECT_EQ(on_another_thread([&] { return omp_test_lock(&lock); }), 0);
  omp_unset_lock(&lock);
  EXPECT_EQ(on_another_thread([&] { return omp_test_lock(&lock); }), 1);
  omp_unset_lock(&lock);
}

TEST(Lock, NeedsFourBytesOnly) {
  struct {
    uint32_t lock; // gcc's omp_lock_t
    uint32_t after = 0x77777777;
  } small;
  omp_init_lock_with_hint(&small.lock, 1);
  omp_set_lock(&small.lock);
  omp_unset_lock(&small.lock);
  omp_destroy_lock(&small.lock);
  EXPECT_EQ(small.after, 0x77777777u);
}

TEST(Lock, AllNamesMeanTheSameLock) {
  void* lock;
  omp_init_lock_(&lock);
  __kmpc_set_lock(nullptr, 0, &lock);
  EXPECT_EQ(omp_test_lock_(&lock), 0);
  EXPECT_EQ(omp_test_lock(&lock), 0);
  omp_unset_lock(&lock);
  EXPECT_EQ(__kmpc_test_lock(nullptr, 0, &lock), 1);
  __kmpc_unset_lock(nullptr, 0, &lock);
}

TEST(NestLock, CountsItsOwnersLocks) {
  Guarded guarded;
  omp_init_nest_lock(&guarded.lock);
  EXPECT_EQ(omp_test_nest_lock(&guarded.lock), 1);
  EXPECT_EQ(omp_test_nest_lock(&guarded.lock), 2);
  omp_set_nest_lock(&guarded.lock);
  EXPECT_EQ(on_another_thread([&] { return omp_test_nest_lock(&guarded.lock); }), 0);
  omp_unset_nest_lock(&guarded.lock);
  omp_unset_nest_lock(&guarded.lock);
  EXPECT_EQ(on_another_thread([&] { return omp_test_nest_lock(&guarded.lock); }), 0) << "still held once";
  omp_unset_nest_lock(&guarded.lock);
  EXPECT_EQ(on_another_thread([&] {
              const int count = omp_test_nest_lock(&guarded.lock);
              omp_unset_nest_lock(&guarded.lock);
              return count;
            }),
            1);
  omp_destroy_nest_lock(&guarded.lock);
  EXPECT_EQ(guarded.before, 0x5555555555555555u);
  EXPECT_EQ(guarded.after, 0x5555555555555555u);
}

TEST(NestLock, ExcludesThreads) {
  Guarded guarded;
  omp_init_nest_lock_with_hint(&guarded.lock, 2);
  long count = 0;
  on_threads([&](int) {
    for (int round = 0; round < rounds; ++round) {
      omp_set_nest_lock(&guarded.lock);
      omp_set_nest_lock(&guarded.lock);
      ++count;
      omp_unset_nest_lock(&guarded.lock);
      ++count;
      omp_unset_nest_lock(&guarded.lock);
    }
  });
  EXPECT_EQ(count, 2L * threads * rounds);
}

TEST(NestLock, SleepersAreWoken) {
  // Long holds, so that waiters stop spinning and sleep.
  Guarded guarded;
  omp_init_nest_lock(&guarded.lock);
  std::atomic<int> inside{0};
  std::atomic<bool> overlap{false};
  on_threads([&](int) {
    for (int round = 0; round < 20; ++round) {
      omp_set_nest_lock(&guarded.lock);
      if (inside.fetch_add(1) != 0)
        overlap = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      inside.fetch_sub(1);
      omp_unset_nest_lock(&guarded.lock);
    }
  });
  EXPECT_FALSE(overlap);
}

} // namespace
