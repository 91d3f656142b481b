// The exploration finds what it is there to find: each step of the waiting protocols that is left out, and each order
// that is weakened, makes some world fail. So no order is stronger than it has to be, but for those noted here.
//
// Without assertions, whatever the build looks at: some of these faults would end the test at one.
#undef HETMP_CHECKS
#define HETMP_CHECKS 0

#include "worlds.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime::model {
namespace {

using Kind = Fault::Kind;

template <class World> std::string problem_with(Kind kind, Operation operation, int atom) {
  const Exploration result = Interleavings<World>({kind, operation, atom}, 0).explore();
  EXPECT_TRUE(result.complete || !result.problem.empty());
  return result.problem;
}

template <class World> void expect_stuck(Kind kind, Operation operation, int atom) {
  EXPECT_EQ(problem_with<World>(kind, operation, atom), "stuck: threads sleep, and nobody is left to wake them");
}
template <class World> void expect_found(Kind kind, Operation operation, int atom) {
  EXPECT_NE(problem_with<World>(kind, operation, atom), "");
}

/// The four accesses by which a waiter and who wakes it see each other, and the kernel's part.
template <class World> void expect_all_of_a_wait_needed(int word, int sleepers, Operation announcement) {
  expect_stuck<World>(Kind::AcquireRelease, announcement, sleepers);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Load, word);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Change, word);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Load, sleepers);
  expect_stuck<World>(Kind::Lost, announcement, sleepers);
  expect_stuck<World>(Kind::Lost, Operation::Wake, word);
  expect_stuck<World>(Kind::WaitsBlindly, Operation::Wait, word);
  expect_found<World>(Kind::Relaxed, Operation::Load, word); // data that are not there
  expect_found<World>(Kind::Relaxed, Operation::Change, word);
}

TEST(WaitSeededFaults, EventCount) {
  expect_all_of_a_wait_needed<TwoPosts>(TwoPosts::epoch, TwoPosts::sleepers, Operation::Change);
  expect_all_of_a_wait_needed<TwoWaiters>(TwoWaiters::epoch, TwoWaiters::sleepers, Operation::Change);
  expect_stuck<TwoPosts>(Kind::Lost, Operation::Change, TwoPosts::epoch);
  expect_stuck<TwoWaiters>(Kind::WakesOne, Operation::Wake, TwoWaiters::epoch);
}

TEST(WaitSeededFaults, Barrier) {
  expect_all_of_a_wait_needed<Barrier>(Barrier::word, Barrier::sleepers, Operation::Change);
  expect_stuck<Barrier>(Kind::WakesOne, Operation::Wake, Barrier::word);
  expect_stuck<BarrierWithTasks>(Kind::AcquireRelease, Operation::Store, BarrierWithTasks::word);
}

TEST(WaitSeededFaults, RegionEnd) {
  expect_all_of_a_wait_needed<TwoRegions>(TwoRegions::word, TwoRegions::sleeps, Operation::Store);
  expect_found<TwoRegions>(Kind::Lost, Operation::Store, TwoRegions::word);  // the second region's count
  expect_found<TwoRegions>(Kind::Lost, Operation::Change, TwoRegions::word); // a worker that does not leave
  expect_found<CallBack>(Kind::Lost, Operation::Change, CallBack::word);
}

// The rings need no order of their own: a waiter looks at the conditions themselves.
TEST(WaitSeededFaults, Bell) {
  using World = TwoConditions<false>;
  expect_stuck<World>(Kind::AcquireRelease, Operation::Change, World::sleepers);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Load, World::sleepers);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Load, World::condition);
  expect_stuck<World>(Kind::AcquireRelease, Operation::Store, World::condition);
  expect_stuck<World>(Kind::Lost, Operation::Change, World::sleepers);
  expect_stuck<World>(Kind::Lost, Operation::Change, World::rings);
  expect_stuck<World>(Kind::Lost, Operation::Wake, World::rings);
  expect_stuck<World>(Kind::WaitsBlindly, Operation::Wait, World::rings);
  expect_stuck<TwoListeners>(Kind::WakesOne, Operation::Wake, TwoListeners::rings);
}

// After plain writes acquire and release suffice, of the look at the sleepers as of the rings.
TEST(WaitSeededFaults, BellAfterPlainWrites) {
  using World = TwoConditions<true>;
  expect_stuck<World>(Kind::Relaxed, Operation::Change, World::sleepers);
  expect_stuck<World>(Kind::Relaxed, Operation::Change, World::rings);
  expect_stuck<World>(Kind::Relaxed, Operation::Load, World::rings);
  expect_stuck<World>(Kind::Lost, Operation::Change, World::sleepers);
  EXPECT_EQ(problem_with<World>(Kind::AcquireRelease, Operation::Change, World::sleepers), "");
}

TEST(WaitSeededFaults, PostedBits) {
  expect_all_of_a_wait_needed<TwoIterations>(TwoIterations::posted, TwoIterations::awaited, Operation::Change);
  expect_all_of_a_wait_needed<TwoFollowers>(TwoFollowers::posted, TwoFollowers::awaited, Operation::Change);
  expect_stuck<TwoFollowers>(Kind::WakesOne, Operation::Wake, TwoFollowers::posted);
}

TEST(WaitSeededFaults, FutexLock) {
  using World = CriticalSections<3>;
  expect_found<World>(Kind::Relaxed, Operation::Change, World::word); // two threads in a critical section
  expect_found<World>(Kind::Lost, Operation::Change, World::word);
  expect_stuck<World>(Kind::Lost, Operation::Wake, World::word);
  expect_stuck<World>(Kind::WaitsBlindly, Operation::Wait, World::word);
}

// The barrier is the changer's: thread 0 has none of its own.
TEST(WaitSeededFaults, LockForm) {
  using World = ChangingForm<3, 1, true, true>;
  for (const int taker : {1, 2}) {
    expect_found<World>(Kind::Lost, Operation::Barrier, taker);
    expect_found<World>(Kind::Lost, Operation::Store, World::first_count + taker - 1);
    expect_found<World>(Kind::Relaxed, Operation::Store, World::first_count + taker - 1);
    expect_found<World>(Kind::Relaxed, Operation::Load, World::first_count + taker - 1);
  }
  expect_found<World>(Kind::Relaxed, Operation::Store, World::form);
  expect_found<World>(Kind::Relaxed, Operation::Load, World::form);
  expect_found<FormIsFree>(Kind::Lost, Operation::Store, FormIsFree::form);
  expect_stuck<World>(Kind::Lost, Operation::Wake, World::form);
  expect_stuck<World>(Kind::WaitsBlindly, Operation::Wait, World::form);

  using Unknown = ChangingForm<3, 1, true, false>;
  expect_found<Unknown>(Kind::Lost, Operation::Change, Unknown::shared_count);
  expect_found<Unknown>(Kind::Relaxed, Operation::Change, Unknown::shared_count);
  expect_found<Unknown>(Kind::Relaxed, Operation::Load, Unknown::shared_count);
}

} // namespace
} // namespace hetmp::runtime::model
