// Every reachable state of small systems, for every order of faults, deliveries and hold times.
#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm::protocol::model {
namespace {

constexpr size_t most_states = 3'000'000;

void explore_all(const Size& size, uint32_t most_faults = Explorer::unlimited) {
  const Exploration result = Explorer(most_states, most_faults).run(World(size));
  std::printf("%u nodes, %u pages, first home %u: %zu states, %zu transitions, %zu states at rest\n",
              size.nodes, size.pages, size.first_home, result.states, result.transitions, result.at_rest);
  EXPECT_EQ(result.problem, "") << text_of(result.trace);
  EXPECT_TRUE(result.problem != "" || result.complete) << "gave up after " << result.states << " states";
  EXPECT_GT(result.at_rest, size.nodes); // at least: exclusive anywhere, and shared
}

TEST(ProtocolExploration, TwoNodes) {
  explore_all({2, 1, 0});
}
TEST(ProtocolExploration, TwoNodesWithTheOtherHome) {
  explore_all({2, 1, 1});
}
TEST(ProtocolExploration, TwoNodesTwoPages) {
  explore_all({2, 2, 0});
}
TEST(ProtocolExploration, ThreeNodes) {
  explore_all({3, 1, 1});
}
TEST(ProtocolExploration, FourNodesFiveFaults) {
  explore_all({4, 1, 2}, 5);
}

} // namespace
} // namespace hetmp::dsm::protocol::model
