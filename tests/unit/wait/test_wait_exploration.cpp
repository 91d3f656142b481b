// No thread of the waiting protocols sleeps for ever, goes on too early, or misses what was written before, in whatever
// order the threads take their steps and whatever old values their memory orders let them read.
#include "worlds.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::runtime::model {
namespace {

template <class World> void expect_sound(uint32_t spurious_wakes = 1) {
  const Exploration result = Interleavings<World>({}, spurious_wakes).explore();
  EXPECT_TRUE(result.complete) << result.problem << "\n" << text_of(result.trace);
  EXPECT_GT(result.ends, 0u);
  std::printf("%zu states, %zu steps, %zu ends\n", result.states, result.steps, result.ends);
}

TEST(WaitExploration, TwoPosts) { expect_sound<TwoPosts>(); }
TEST(WaitExploration, TwoWaiters) { expect_sound<TwoWaiters>(); }
TEST(WaitExploration, TwoConditions) { expect_sound<TwoConditions<false>>(); }
TEST(WaitExploration, TwoConditionsByPlainWrites) { expect_sound<TwoConditions<true>>(); }
TEST(WaitExploration, TwoListeners) { expect_sound<TwoListeners>(); }
TEST(WaitExploration, TwoIterations) { expect_sound<TwoIterations>(); }
TEST(WaitExploration, TwoFollowers) { expect_sound<TwoFollowers>(); }
TEST(WaitExploration, TwoRegions) { expect_sound<TwoRegions>(); }
TEST(WaitExploration, Barrier) { expect_sound<Barrier>(); }
TEST(WaitExploration, BarrierWithTasks) { expect_sound<BarrierWithTasks>(0); }
TEST(WaitExploration, CallBack) { expect_sound<CallBack>(0); }
TEST(WaitExploration, TwoCriticalSections) { expect_sound<CriticalSections<2>>(3); }
TEST(WaitExploration, LocksCeaseToBeWords) { expect_sound<ChangingForm<3, 1, true, true>>(0); }
TEST(WaitExploration, LocksBecomeWords) { expect_sound<ChangingForm<3, 1, false, true>>(0); }
TEST(WaitExploration, LocksChangeTwice) { expect_sound<ChangingForm<2, 2, true, true>>(); }
TEST(WaitExploration, LocksOfUnknownThreads) { expect_sound<ChangingForm<3, 1, true, false>>(0); }
TEST(WaitExploration, LocksThatAreFree) { expect_sound<FormIsFree>(); }
TEST(WaitExploration, ThreeCriticalSections) { expect_sound<CriticalSections<3>>(0); }

} // namespace
} // namespace hetmp::runtime::model
