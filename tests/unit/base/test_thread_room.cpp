// How many threads there is room for, by made-up trees of files.
#include "base/machine/thread_room.hpp"
#include "fake_root.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace hetmp;

class ThreadRoomTest : public FakeRoot {
 protected:
  void SetUp() override {
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    if (geteuid() != 0 && setrlimit(RLIMIT_NPROC, &none) != 0)
      GTEST_SKIP() << "this user's own limit stands";
  }
};

TEST_F(ThreadRoomTest, WithoutLimitsIsEndless) {
  EXPECT_EQ(thread_room(root).threads, uint64_t(INT64_MAX) / 2);
  EXPECT_EQ(thread_room(root).limit, "there is no limit");
}

TEST_F(ThreadRoomTest, IsHalfOfTheMachines) {
  put("/proc/sys/kernel/threads-max", "192730\n");
  EXPECT_EQ(thread_room(root).threads, 96365u);
  put("/proc/sys/kernel/pid_max", "32768\n");
  EXPECT_EQ(thread_room(root).threads, 16384u);
  EXPECT_EQ(thread_room(root).limit, "kernel.pid_max is 32768");
}

TEST_F(ThreadRoomTest, IsHalfOfTheSmallestControlGroups) {
  put("/proc/self/cgroup", "8:pids:/old/inner\n0::/outer/inner\n");
  put("/sys/fs/cgroup/outer/inner/pids.max", "max\n");
  put("/sys/fs/cgroup/outer/pids.max", "1000\n");
  EXPECT_EQ(thread_room(root).threads, 500u);
  EXPECT_EQ(thread_room(root).limit, "pids.max of the control group is 1000");
  put("/sys/fs/cgroup/pids/old/inner/pids.max", "600\n");
  EXPECT_EQ(thread_room(root).threads, 300u);
  put("/proc/sys/kernel/pid_max", "32768\n");
  EXPECT_EQ(thread_room(root).threads, 300u);
}

TEST_F(ThreadRoomTest, LeavesOneInAnyCase) {
  put("/proc/sys/kernel/pid_max", "1\n");
  EXPECT_EQ(thread_room(root).threads, 1u);
}

TEST_F(ThreadRoomTest, NonsenseLimitsNothing) {
  put("/proc/sys/kernel/pid_max", "many\n");
  put("/proc/sys/kernel/threads-max", "-5\n");
  EXPECT_EQ(thread_room(root).limit, "there is no limit");
}

} // namespace
