// Hosts as people name them, and the CPUs that their nodes get.
#include "runtime/launch/hosts.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <unistd.h>

namespace hetmp::launch {
namespace {

using Cpus = std::vector<std::vector<int>>;

std::vector<int> first_cpus(int count) {
  std::vector<int> cpus(size_t(count), 0);
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

TEST(Hosts, AreReadAsTheyAreWritten) {
  const std::pair<const char*, std::vector<Host>> examples[] = {
      {"a,b", {{"a", 0}, {"b", 0}}},
      {"a,b:4,a:12", {{"a", 0}, {"b", 4}, {"a", 12}}},
      {"user@node-1.cluster_x.example:2,10.0.0.7", {{"user@node-1.cluster_x.example", 2}, {"10.0.0.7", 0}}},
      {"[fd00::1],[fe80::1%eth0]:3", {{"fd00::1", 0}, {"fe80::1%eth0", 3}}},
      {"localhost,127.0.0.1,[::1]", {{"localhost", 0}, {"127.0.0.1", 0}, {"::1", 0}}},
      {"a:4096,b:1", {{"a", 4096}, {"b", 1}}},
  };
  for (const auto& [text, hosts] : examples) {
    const ParsedHosts parsed = parse_hosts(text);
    EXPECT_EQ(parsed.error, "") << text;
    EXPECT_TRUE(parsed.hosts == hosts) << text;
  }
}

TEST(Hosts, WhatIsNoHostIsNamed) {
  const std::pair<const char*, const char*> examples[] = {
      {"", "'' is no host"},
      {"a,", "'' is no host"},
      {",a", "'' is no host"},
      {"a,,b", "'' is no host"},
      {"a, b", "' b' is no host"},
      {"a,b c", "'b c' is no host"},
      {"a,-oProxyCommand=x", "'-oProxyCommand=x' is no host"},
      {"a,b;rm", "'b;rm' is no host"},
      {"a,$(x)", "'$(x)' is no host"},
      {"a,`x`", "'`x`' is no host"},
      {"a,b'c", "'b'c' is no host"},
      {"a,b/c", "'b/c' is no host"},
      {"a,:4", "':4' is no host"},
      {"a,::1", "'::1' is no host"},
      {"a,[]", "'[]' is no host"},
      {"a,[::1", "'[::1' is no host"},
      {"a,[::1]x", "'[::1]x' is no host"},
      {"a,[-x]", "'[-x]' is no host"},
      {"a,localhost", "the other hosts cannot reach localhost by that name"},
      {"127.0.0.2,a", "the other hosts cannot reach 127.0.0.2 by that name"},
      {"a,\xc3\xa4", "'\xc3\xa4' is no host"},
  };
  for (const auto& [text, error] : examples)
    EXPECT_EQ(parse_hosts(text).error, error) << text;
}

TEST(Hosts, ANumberOfCpusIsANumber) {
  for (const char* host :
       {"b:", "b:0", "b:-1", "b:x", "b:4x", "b:4097", "b:99999999999999999999", "b:1.5", "[::1]:", "[::1]:0"})
    EXPECT_EQ(parse_hosts(std::string("a,") + host).error,
              "'" + std::string(host) + "': the number of CPUs after the colon is none");
}

TEST(Hosts, AreTwoToSixtyFour) {
  std::string text = "h";
  for (int count = 1; count <= 66; ++count, text += ",h") {
    const ParsedHosts parsed = parse_hosts(text);
    EXPECT_EQ(parsed.error, count >= 2 && count <= 64 ? "" : "from 2 to 64 hosts, one for each node") << count;
    if (parsed.error.empty()) {
      EXPECT_EQ(parsed.hosts.size(), size_t(count));
    }
  }
}

TEST(Hosts, ThisMachineHasSeveralNames) {
  char own[256] = {};
  gethostname(own, sizeof own - 1);
  for (const std::string& name :
       {std::string("localhost"), std::string("127.0.0.1"), std::string("::1"), std::string(own)})
    EXPECT_TRUE(is_here(name)) << name;
  for (const std::string& name : {std::string(own) + "x", std::string("user@localhost"), std::string("127.0.0.2"),
                                  std::string("localhost.example"), std::string()})
    EXPECT_FALSE(is_here(name)) << name;
}

/// The CPUs of each node of hosts that have `cpus` CPUs each.
Cpus deal(const std::vector<Host>& hosts, int cpus, std::string& error) {
  error.clear();
  return deal_cpus(hosts, Cpus(hosts.size(), first_cpus(cpus)), error);
}

TEST(DealtCpus, AHostsCpusAreAllItsNodes) {
  std::string error;
  const Cpus dealt = deal_cpus({{"a", 0}, {"b", 0}, {"c", 2}}, {{0, 1}, {4, 6, 8}, {1, 3, 5, 7}}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(dealt, (Cpus{{0, 1}, {4, 6, 8}, {1, 3}}));
}

TEST(DealtCpus, NodesOfOneHostShareItEvenly) {
  std::string error;
  EXPECT_EQ(deal({{"a", 0}, {"b", 0}, {"a", 0}}, 4, error), (Cpus{{0, 1}, {0, 1, 2, 3}, {2, 3}}));
  for (int nodes = 2; nodes <= 8; ++nodes)
    for (int cpus = nodes; cpus <= 20; ++cpus) {
      const Cpus dealt = deal(std::vector<Host>(size_t(nodes), Host{"a", 0}), cpus, error);
      ASSERT_EQ(error, "");
      std::multiset<int> all;
      for (const auto& each : dealt) {
        EXPECT_GE(int(each.size()), cpus / nodes);
        EXPECT_LE(int(each.size()), (cpus + nodes - 1) / nodes);
        all.insert(each.begin(), each.end());
      }
      const std::vector<int> expected = first_cpus(cpus);
      EXPECT_TRUE(std::equal(all.begin(), all.end(), expected.begin(), expected.end())) << nodes << " of " << cpus;
    }
}

TEST(DealtCpus, MoreNodesThanCpusTakeTurns) {
  std::string error;
  EXPECT_EQ(deal(std::vector<Host>(5, Host{"a", 0}), 2, error), (Cpus{{0}, {1}, {0}, {1}, {0}}));
  EXPECT_EQ(error, "");
}

TEST(DealtCpus, WhoAsksForANumberGetsItAndNobodyElseDoes) {
  std::string error;
  EXPECT_EQ(deal({{"a", 3}, {"a", 1}}, 4, error), (Cpus{{0, 1, 2}, {3}}));
  EXPECT_EQ(deal({{"a", 1}, {"a", 3}}, 4, error), (Cpus{{0}, {1, 2, 3}}));
  EXPECT_EQ(deal({{"a", 1}, {"b", 2}, {"a", 1}}, 4, error), (Cpus{{0}, {0, 1}, {1}}));
  EXPECT_EQ(error, "");
}

TEST(DealtCpus, WhoAsksForNoNumberGetsWhatIsLeft) {
  std::string error;
  EXPECT_EQ(deal({{"a", 0}, {"a", 3}}, 8, error), (Cpus{{3, 4, 5, 6, 7}, {0, 1, 2}}));
  EXPECT_EQ(deal({{"a", 0}, {"a", 2}, {"a", 0}}, 8, error), (Cpus{{2, 3, 4}, {0, 1}, {5, 6, 7}}));
  EXPECT_EQ(error, "");
}

TEST(DealtCpus, TooFewAreSaid) {
  std::string error;
  EXPECT_TRUE(deal({{"a", 5}, {"b", 0}}, 4, error).empty());
  EXPECT_EQ(error, "host a has 4 CPUs for this");
  EXPECT_TRUE(deal({{"a", 0}, {"b", 0}}, 0, error).empty());
  EXPECT_EQ(error, "host a has 0 CPUs for this");
  EXPECT_TRUE(deal({{"a", 3}, {"b", 1}, {"a", 3}}, 4, error).empty()) << "six are asked for";
  EXPECT_EQ(error, "host a has 4 CPUs for this");
  EXPECT_TRUE(deal({{"b", 0}, {"a", 4}, {"a", 0}}, 4, error).empty()) << "none is left for the last";
  EXPECT_EQ(error, "host a has 4 CPUs for this");
}

} // namespace
} // namespace hetmp::launch
