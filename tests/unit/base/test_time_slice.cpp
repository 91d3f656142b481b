#include "base/machine/time_slice.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace hetmp;

namespace {

constexpr uint64_t shortest_ns = 100'000;

/// Of the calling thread, as sched_getattr(2) tells it; 0 where kernels tell nothing.
uint64_t slice_ns() {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes{};
  return syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 ? attributes.runtime : 0;
}

int nice_value() { return getpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid))); }

} // namespace

TEST(TimeSlice, IsShortAsLongAsThatIsWantedAndTheUsualOneAfterwards) {
  std::thread([] {
    setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 3);
    const int priority = nice_value();
    const uint64_t usual = slice_ns();
    ask_for_short_turns(true);
    EXPECT_EQ(slice_ns(), usual == 0 ? 0 : shortest_ns);
    EXPECT_EQ(nice_value(), priority);
    ask_for_short_turns(false);
    EXPECT_EQ(slice_ns(), usual);
    EXPECT_EQ(nice_value(), priority);
  }).join();
}

TEST(TimeSlice, IsThatOfTheCallingThreadAlone) {
  const uint64_t usual = slice_ns();
  std::thread([] { ask_for_short_turns(true); }).join();
  EXPECT_EQ(slice_ns(), usual);
}

TEST(TimeSlice, LeavesThreadsWithRealTimePriorityAndErrnoAlone) {
  std::thread([] {
    sched_param priority{};
    priority.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
      GTEST_SKIP() << "no real-time priority here";
    errno = EDOM;
    ask_for_short_turns(true);
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(sched_getparam(0, &priority), 0);
    EXPECT_EQ(priority.sched_priority, 1);
  }).join();
}
