// HETMP_NODES=kinds: from what a machine tells of its kinds of cores to nodes with speeds.
#include "runtime/process/kind_nodes.hpp"
#include "runtime/process/nodes.hpp"

#include <gtest/gtest.h>

using namespace hetmp;
using namespace hetmp::runtime;
using affinity::CoreKind;

namespace {

using Nodes = std::vector<std::vector<int>>;
using Speeds = std::vector<double>;

const std::vector<int> eight = {0, 1, 2, 3, 4, 5, 6, 7};

CoreKind kind(std::vector<int> cpus, int rank, double max_mhz = 0) {
  CoreKind made;
  made.cpus = std::move(cpus);
  made.rank = rank;
  made.max_mhz = max_mhz;
  return made;
}

TEST(KindNodes, FastestKindIsTheFirstNode) {
  const KindNodes nodes = nodes_of_kinds({kind({4, 5, 6, 7}, 0, 2000), kind({0, 1, 2, 3}, 1, 3000)}, eight);
  EXPECT_EQ(nodes.cpus, (Nodes{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(nodes.speeds, (Speeds{1.5, 1.0}));
}

TEST(KindNodes, SpeedsComeFromTheFirstFigureThatAllHave) {
  std::vector<CoreKind> kinds = {kind({0, 1}, 1, 4000), kind({2, 3}, 0, 2000)};
  for (CoreKind& each : kinds)
    each.base_mhz = 1000;
  EXPECT_EQ(nodes_of_kinds(kinds, {0, 1, 2, 3}).speeds, (Speeds{2, 1})) << "the highest frequency before the usual one";
  kinds[0].capacity = 1024;
  EXPECT_EQ(nodes_of_kinds(kinds, {0, 1, 2, 3}).speeds, (Speeds{2, 1})) << "a capacity of one kind says nothing";
  kinds[1].capacity = 256;
  EXPECT_EQ(nodes_of_kinds(kinds, {0, 1, 2, 3}).speeds, (Speeds{4, 1}));
  kinds[0].capacity = kinds[0].max_mhz = 0;
  EXPECT_EQ(nodes_of_kinds(kinds, {0, 1, 2, 3}).speeds, (Speeds{1, 1}));
}

TEST(KindNodes, RanksAloneAreAnOrderWithoutSpeeds) {
  const KindNodes nodes = nodes_of_kinds({kind({0, 1}, 0), kind({2, 3}, 2), kind({4, 5}, 1)}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(nodes.cpus, (Nodes{{2, 3}, {4, 5}, {0, 1}}));
  EXPECT_TRUE(nodes.speeds.empty());
  EXPECT_EQ(nodes_of_kinds({kind({0}, -1), kind({1}, -1)}, {0, 1}).cpus, (Nodes{{0}, {1}}))
      << "as the machine names them";
}

TEST(KindNodes, OnlyWhatTheProcessMayUseCounts) {
  const std::vector<CoreKind> large = {kind({0, 1, 64, 65}, 0, 1000), kind({2, 3, 66, 67}, 1, 2000),
                                       kind({128, 129}, 2, 8000)};
  const KindNodes nodes = nodes_of_kinds(large, {1, 2, 3});
  EXPECT_EQ(nodes.cpus, (Nodes{{2, 3}, {1}}));
  EXPECT_EQ(nodes.speeds, (Speeds{2, 1})) << "of the kinds that are left";
  EXPECT_EQ(nodes_of_kinds(large, {0, 1}).cpus, (Nodes{{0, 1}})) << "all alike";
  EXPECT_TRUE(nodes_of_kinds(large, {0, 1}).speeds.empty());
  EXPECT_EQ(nodes_of_kinds(large, {32, 33}).cpus, (Nodes{{32, 33}})) << "of no kind at all";
  EXPECT_EQ(nodes_of_kinds({}, {0, 1}).cpus, (Nodes{{0, 1}}));
}

TEST(KindNodes, CpusOfNoKindAreUsed) {
  const KindNodes nodes = nodes_of_kinds({kind({0, 5}, 0, 1000), kind({2, 3}, 1, 2000)}, eight);
  EXPECT_EQ(nodes.cpus, (Nodes{{2, 3}, {0, 1, 4, 5, 6, 7}}));
}

TEST(ParseNodes, Kinds) {
  EXPECT_TRUE(asks_for_kinds(" kinds "));
  for (const char* text : {"", "1", "kind", "kinds:2", "cores:0", "Kinds"})
    EXPECT_FALSE(asks_for_kinds(text)) << text;
  affinity::CoreKinds machine;
  machine.kinds = {kind({0, 1}, 0, 1000), kind({2, 3}, 1, 2000)};
  const ParsedLayout two = parse_nodes("kinds", {0, 1, 2, 3}, machine);
  EXPECT_EQ(two.error, "");
  EXPECT_EQ(two.layout, (Layout{Layout::Kind::CpuSets, {{2, 3}, {0, 1}}, false, {2, 1}}));
  EXPECT_EQ(parse_nodes("kinds", {0, 1}, machine).layout, (Layout{Layout::Kind::One, {{0, 1}}, false}));
  EXPECT_EQ(parse_nodes("kinds", {0, 1}, machine).error, "");
  EXPECT_EQ(parse_nodes("1", {0, 1, 2, 3}, machine).layout.nodes(), 1u) << "nobody asked";
  const ParsedLayout unknown = parse_nodes("kinds", {0, 1}, {{}, "nobody knows"});
  EXPECT_EQ(unknown.error, "nobody knows");
  EXPECT_EQ(unknown.layout, (Layout{Layout::Kind::One, {{0, 1}}, false}));
}

TEST(ParseNodes, MoreKindsThanNodes) {
  affinity::CoreKinds machine;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < 65; ++cpu) {
    machine.kinds.push_back(kind({cpu}, cpu));
    cpus.push_back(cpu);
  }
  EXPECT_EQ(parse_nodes("kinds", cpus, machine).error, "more than 64 kinds of cores");
  cpus.pop_back();
  EXPECT_EQ(parse_nodes("kinds", cpus, machine).layout.nodes(), 64u);
}

} // namespace
