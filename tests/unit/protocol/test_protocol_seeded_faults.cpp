// The explorer finds what it is there to find: an edge or a network that breaks one rule breaks an invariant.
#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace hetmp::dsm::protocol::model {
namespace {

constexpr Powers all = {true, true, true, true, true};

/// The violation found in a world with `bug`, which must begin with the letter of one of `letters`.
void expect_found(Bug bug, uint32_t nodes, const std::string& letters, const Powers& powers = {}) {
  const Exploration result = Explorer(1'000'000).run(World({nodes, 1, 0, false, powers}, bug));
  ASSERT_NE(result.problem, "") << "not found in " << result.states << " states";
  EXPECT_NE(letters.find(result.problem[0]), std::string::npos) << result.problem;
  EXPECT_EQ(result.problem[1], ':');
  std::printf("found after %zu states: %s\n%s", result.states, result.problem.c_str(), text_of(result.trace).c_str());
}

TEST(ProtocolSeededFaults, PageLeftWritable) { expect_found(Bug::ForgetProtect, 2, "W"); }
TEST(ProtocolSeededFaults, CopyLeftMapped) { expect_found(Bug::ForgetDrop, 2, "W"); }
TEST(ProtocolSeededFaults, AcknowledgedTooEarly) { expect_found(Bug::EarlyAck, 3, "WL"); }
TEST(ProtocolSeededFaults, DoneLost) { expect_found(Bug::LoseDone, 3, "P"); }
TEST(ProtocolSeededFaults, ChannelWithoutOrder) { expect_found(Bug::Overtaking, 2, "PWL"); }
TEST(ProtocolSeededFaults, HoldWithoutResume) { expect_found(Bug::IgnoreHold, 3, "P"); }

TEST(ProtocolSeededFaults, PushOfABusyPage) { expect_found(Bug::PushWhileBusy, 3, "WLP", all); }
TEST(ProtocolSeededFaults, HomeGivenAwayWhileBusy) { expect_found(Bug::MoveWhileBusy, 3, "WLP", all); }
TEST(ProtocolSeededFaults, HomeForgetsThatItMoved) { expect_found(Bug::MoveUnheard, 3, "WLP", all); }
TEST(ProtocolSeededFaults, ForwardWithoutItsRequester) { expect_found(Bug::ForgetAsker, 3, "WLP", all); }
TEST(ProtocolSeededFaults, HomeReturnedTooEarly) { expect_found(Bug::ReturnEarly, 3, "WLP", all); }
TEST(ProtocolSeededFaults, WriteToAWatchedPageLost) { expect_found(Bug::ForgetWatch, 2, "P", all); }
TEST(ProtocolSeededFaults, SurvivorThatGoesOn) { expect_found(Bug::GoOnWithout, 3, "W", all); }

} // namespace
} // namespace hetmp::dsm::protocol::model
