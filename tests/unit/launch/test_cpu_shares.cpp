// Which CPUs processes get that somebody else has started.
#include "runtime/launch/cpu_shares.hpp"

#include <gtest/gtest.h>

namespace hetmp::launch {
namespace {

using Cpus = std::vector<std::vector<int>>;

Cpus shares(const std::vector<std::string>& hosts, const Cpus& available) {
  std::string error;
  const Cpus result = share_cpus(hosts, available, error);
  EXPECT_EQ(error, "");
  return result;
}

TEST(CpuShares, AHostEachKeepsAll) {
  EXPECT_EQ(shares({"a", "b"}, {{0, 1, 2, 3}, {0, 1}}), (Cpus{{0, 1, 2, 3}, {0, 1}}));
}

TEST(CpuShares, UnboundProcessesOfAHostDivideIt) {
  EXPECT_EQ(shares({"a", "a"}, {{0, 1, 2, 3}, {0, 1, 2, 3}}), (Cpus{{0, 1}, {2, 3}}));
}

TEST(CpuShares, WhatTheLauncherHasDividedStands) {
  EXPECT_EQ(shares({"a", "a"}, {{0, 2, 4}, {1}}), (Cpus{{0, 2, 4}, {1}}));
}

TEST(CpuShares, EachHostForItself) {
  EXPECT_EQ(shares({"a", "b", "a", "b"}, {{0, 1}, {0}, {0, 1}, {1, 2, 3}}), (Cpus{{0}, {0}, {1}, {1, 2, 3}}));
}

TEST(CpuShares, AnOverlapCountsAsUndivided) {
  const Cpus dealt = shares({"a", "a"}, {{0, 1, 2, 3}, {3}});
  EXPECT_EQ(dealt, (Cpus{{0, 1}, {3}}));
}

TEST(CpuShares, MoreProcessesThanCpus) {
  EXPECT_EQ(shares({"a", "a", "a"}, {{0, 1}, {0, 1}, {0, 1}}), (Cpus{{0}, {1}, {0}}));
}

TEST(CpuShares, NoCpuIsAnError) {
  std::string error;
  EXPECT_TRUE(share_cpus({"a", "b"}, {{0}, {}}, error).empty());
  EXPECT_NE(error, "");
}

} // namespace
} // namespace hetmp::launch
