// The explorer finds what it is there to find: an edge or a network that breaks one rule breaks an invariant.
#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm::protocol::model {
namespace {

/// The violation found in a world with `bug`, which must begin with the letter of one of `letters`.
void expect_found(Bug bug, uint32_t nodes, const std::string& letters) {
  const Exploration result = Explorer(1'000'000).run(World({nodes, 1, 0}, bug));
  ASSERT_NE(result.problem, "") << "not found in " << result.states << " states";
  EXPECT_NE(letters.find(result.problem[0]), std::string::npos) << result.problem;
  EXPECT_EQ(result.problem[1], ':');
  std::printf("found after %zu states: %s\n%s", result.states, result.problem.c_str(),
              text_of(result.trace).c_str());
}

TEST(ProtocolSeededFaults, PageLeftWritable) {
  expect_found(Bug::ForgetProtect, 2, "W");
}
TEST(ProtocolSeededFaults, CopyLeftMapped) {
  expect_found(Bug::ForgetDrop, 2, "W");
}
TEST(ProtocolSeededFaults, AcknowledgedTooEarly) {
  expect_found(Bug::EarlyAck, 3, "WL");
}
TEST(ProtocolSeededFaults, DoneLost) {
  expect_found(Bug::LoseDone, 3, "P");
}
TEST(ProtocolSeededFaults, ChannelWithoutOrder) {
  expect_found(Bug::Overtaking, 2, "PWL");
}
TEST(ProtocolSeededFaults, HoldWithoutResume) {
  expect_found(Bug::IgnoreHold, 3, "P");
}

} // namespace
} // namespace hetmp::dsm::protocol::model
