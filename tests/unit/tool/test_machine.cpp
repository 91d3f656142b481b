// Probes of the machine whose answers can be checked anywhere.
#include "runtime/tool/machine.hpp"

#include <gtest/gtest.h>

#include <sched.h>

namespace {

using namespace hetmp::tool;

TEST(FaultAccess, SourceAndAbilitiesAgree) {
  const FaultAccess access = probe_fault_access();
  using Source = FaultAccess::Source;
  EXPECT_EQ(access.source == Source::Refused, access.error != 0);
  EXPECT_EQ(access.kernel_faults, access.source == Source::Device || access.source == Source::SystemCall);
}

TEST(Permissions, ProbingTwiceGivesTheSameAnswerAndLeavesThePriorityAlone) {
  const int before = sched_getscheduler(0);
  EXPECT_EQ(probe_realtime_priority().granted(), probe_realtime_priority().granted());
  EXPECT_EQ(sched_getscheduler(0), before);
}

} // namespace
