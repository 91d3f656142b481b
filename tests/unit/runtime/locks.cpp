// Locks by variable (omp_lock_t) and by key. What they guard is plain memory.
#include "kmpc.hpp"
#include "runtime/sync/program_locks.hpp"

namespace hetmp::test {
namespace {

constexpr int locks = 3;

template <class Lock, class Unlock> void expect_exclusion(Lock&& lock, Unlock&& unlock) {
  int counts[locks] = {};
  const int turns = rounds(3000);
  parallel(most_members, [&](Member self) {
    for (int turn = 0; turn < turns; turn++) {
      const int which = (turn * 7 + self.number) % locks;
      lock(which);
      increment_slowly(counts[which], turn);
      unlock(which);
    }
  });
  EXPECT_EQ(counts[0] + counts[1] + counts[2], most_members * turns);
}

/// Some threads wait, others try again and again.
template <class Lock, class Try> auto by_turns(Lock lock, Try try_lock) {
  return [=](int which) {
    if (omp_get_thread_num() % 2)
      return lock(which);
    for (int tries = 0; tries < 20; tries++)
      if (try_lock(which))
        return;
    lock(which);
  };
}

TEST(Locks, OmpLock) {
  int64_t variable[locks];
  for (auto& one : variable)
    omp_init_lock(&one);
  expect_exclusion(by_turns([&](int which) { omp_set_lock(&variable[which]); },
                            [&](int which) { return omp_test_lock(&variable[which]); }),
                   [&](int which) { omp_unset_lock(&variable[which]); });
  for (auto& one : variable)
    omp_destroy_lock(&one);
}

TEST(Locks, NestableOmpLock) {
  int64_t variable[locks];
  for (auto& one : variable)
    omp_init_nest_lock(&one);
  expect_exclusion(
      by_turns(
          [&](int which) {
            omp_set_nest_lock(&variable[which]);
            EXPECT_EQ(omp_test_nest_lock(&variable[which]), 2);
          },
          [&](int which) { return omp_test_nest_lock(&variable[which]) && omp_test_nest_lock(&variable[which]); }),
      [&](int which) {
        omp_unset_nest_lock(&variable[which]);
        omp_unset_nest_lock(&variable[which]);
      });
}

TEST(Locks, InPrograms) {
  runtime::FutexLock lock[locks];
  expect_exclusion(by_turns([&](int which) { runtime::program_locks.lock(lock[which]); },
                            [&](int which) { return runtime::program_locks.try_lock(lock[which]); }),
                   [&](int which) { runtime::program_locks.unlock(lock[which]); });
}

TEST(Locks, OneThatIsHeldCannotBeTaken) {
  runtime::FutexLock lock;
  __kmpc_global_thread_num(&somewhere);
  runtime::program_locks.lock(lock);
  parallel(3, [&](Member) { EXPECT_FALSE(runtime::program_locks.try_lock(lock)); });
  runtime::program_locks.unlock(lock);
  EXPECT_TRUE(runtime::program_locks.try_lock(lock));
  runtime::program_locks.unlock(lock);
}

} // namespace
} // namespace hetmp::test
