// What control groups grant, from made-up trees of files.
#include "base/machine/cpu_quota.hpp"
#include "fake_root.hpp"

#include <gtest/gtest.h>

namespace {

using namespace hetmp;

TEST(CpuMax, ReadsQuotaAndPeriod) {
  EXPECT_EQ(parse_cpu_max("200000 100000\n"), 2.0);
  EXPECT_EQ(parse_cpu_max("50000 100000"), 0.5);
  for (const char* text : {"max 100000", "", "max", "200000", "0 100000", "1 0", "-1 100000", "a b"})
    EXPECT_FALSE(parse_cpu_max(text)) << text;
}

TEST_F(FakeRoot, NoControlGroupMeansNoQuota) { EXPECT_FALSE(cpu_quota(root)); }

TEST_F(FakeRoot, TheSmallestQuotaOnTheWayUpCounts) {
  put("/proc/self/cgroup", "0::/outer/inner\n");
  put("/sys/fs/cgroup/outer/inner/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpu_quota(root), 4.0);
  put("/sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(root), 1.5);
  put("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root), 1.5);
}

TEST_F(FakeRoot, TheUnifiedGroupIsFoundBelowOldOnes) {
  put("/proc/self/cgroup", "4:cpu:/elsewhere\n0::/mine\n");
  put("/sys/fs/cgroup/mine/cpu.max", "100000 100000\n");
  put("/sys/fs/cgroup/elsewhere/cpu.max", "10000 100000\n");
  EXPECT_EQ(cpu_quota(root), 1.0);
}

TEST_F(FakeRoot, Version1Files) {
  put("/proc/self/cgroup", "4:cpu:/docker/1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root), 3.0);
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(cpu_quota(root));
}

TEST_F(FakeRoot, Version1GroupsOnTheWayUp) {
  put("/proc/self/cgroup", "5:memory:/other\n4:cpu,cpuacct:/outer/inner\n1:name=systemd:/\n");
  put("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us", "25000\n");
  put("/sys/fs/cgroup/cpu/outer/cpu.cfs_period_us", "10000\n");
  EXPECT_EQ(cpu_quota(root), 2.5);
  put("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(cpu_quota(root), 0.5);
  put("/sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "1000\n");
  put("/sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root), 0.5); // no group of this process
}

TEST_F(FakeRoot, MalformedGroupsMeanNoQuota) {
  for (const char* lines : {"", "\n", "4\n", "4:cpu\n", "::\n", "cpu:/outer", "4:cpux,xcpu:/outer\n"}) {
    put("/proc/self/cgroup", lines);
    EXPECT_FALSE(cpu_quota(root)) << lines;
  }
}

} // namespace
