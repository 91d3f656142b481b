// Every reachable state of small systems, for every order of faults, deliveries and hold times.
#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm::protocol::model {
namespace {

constexpr size_t most_states = 4'000'000;
constexpr Powers together = {true, true, true, false, true}; ///< all but a loss, which pages have in common
constexpr Powers all = {true, true, true, true, true};

size_t report(const Size& size, const Exploration& result) {
  std::printf("%u nodes, %u pages, first home %u: %zu states, %zu transitions, %zu states at rest\n", size.nodes,
              size.pages, size.first_home, result.states, result.transitions, result.at_rest);
  EXPECT_EQ(result.problem, "") << text_of(result.trace);
  EXPECT_TRUE(result.problem != "" || result.complete) << "gave up after " << result.states << " states";
  EXPECT_GT(result.at_rest, size.nodes); // at least: exclusive anywhere, and shared
  return result.states;
}
size_t explore_all(const Size& size, uint32_t most_wishes = Explorer::unlimited) {
  return report(size, Explorer(most_states, most_wishes).run(World(size)));
}
TEST(ProtocolExploration, TwoNodes) { explore_all({2, 1, 0, false, all}); }
TEST(ProtocolExploration, TwoNodesWithTheOtherHome) { explore_all({2, 1, 1, false, all}); }

/// Pages do not interact: two have as many states as pairs of states of one.
TEST(ProtocolExploration, TwoNodesTwoPagesAreASquare) {
  const size_t one = explore_all({2, 1, 0}), other = explore_all({2, 1, 1});
  EXPECT_EQ(explore_all({2, 2, 0}), one * other);
  EXPECT_EQ(explore_all({2, 2, 0, true}), one * one);
}

TEST(ProtocolExploration, ThreeNodesThatOnlyFault) { explore_all({3, 1, 1}); }
TEST(ProtocolExploration, FourNodesFourWishes) { explore_all({4, 1, 2, false, together}, 4); }

} // namespace
} // namespace hetmp::dsm::protocol::model
