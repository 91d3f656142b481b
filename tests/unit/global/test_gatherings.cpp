// Reductions at the coordinator: node 0 gets every node's copies once, whoever comes first, and those who wait are let
// go when it is done.
#include "runtime/global/gatherings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hetmp::runtime {
namespace {

using Kind = Request::Kind;

class GatheringsTest : public testing::Test {
 protected:
  static constexpr NodeSet participants = NodeSet::of_bits(0b10111); // node 3 is not in the team

  Request request(Kind kind, uint32_t node, uint64_t word = 0, bool waits = false, uint64_t sequence = 5) {
    Request made;
    made.kind = kind;
    made.node = node;
    made.ticket = 100 + node;
    made.nodes = 4;
    made.participants = participants;
    made.team = 9;
    made.sequence = sequence;
    made.word = word;
    made.trips = waits ? 1 : 0;
    return made;
  }
  std::vector<Answer> send(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_TRUE(gatherings.handle(made, answers));
    return answers;
  }
  void refuse(const Request& made) {
    std::vector<Answer> answers;
    EXPECT_FALSE(gatherings.handle(made, answers));
    EXPECT_TRUE(answers.empty());
  }
  static uint64_t copies_of(uint32_t node) { return 0x1000 * node; }

  Gatherings gatherings;
};

TEST_F(GatheringsTest, NodeZeroGetsEveryNodesCopiesInAnyOrderOfArrival) {
  std::mt19937 random(7);
  for (uint64_t sequence = 1; sequence <= 200; ++sequence) {
    const bool waits = sequence % 2;
    std::vector<uint32_t> offers = {1, 2, 4};
    std::shuffle(offers.begin(), offers.end(), random);
    const std::vector<uint32_t> wanted = {1, 2, 4};
    size_t offered = 0, taken = 0;
    bool asking = false;
    while (taken < wanted.size()) {
      std::vector<Answer> answers;
      if (!asking && (offered == offers.size() || random() % 2)) {
        answers = send(request(Kind::TakeCopies, 0, wanted[taken], false, sequence));
        asking = true;
      } else if (offered < offers.size()) {
        const uint32_t node = offers[offered++];
        answers = send(request(Kind::OfferCopies, node, copies_of(node), waits, sequence));
      }
      ASSERT_LE(answers.size(), 1u);
      if (answers.empty())
        continue;
      EXPECT_EQ(answers[0].node, 0u);
      EXPECT_EQ(answers[0].ticket, 100u);
      EXPECT_EQ(answers[0].word, copies_of(wanted[taken++]));
      asking = false;
    }
    if (waits) {
      std::vector<uint32_t> released;
      for (const Answer& answer : send(request(Kind::ReleaseCopies, 0, 0, false, sequence)))
        released.push_back(answer.node);
      std::sort(released.begin(), released.end());
      EXPECT_EQ(released, wanted);
    }
    EXPECT_EQ(gatherings.under_way(), 0u);
  }
}

TEST_F(GatheringsTest, WhatNoCorrectNodeSendsIsRefused) {
  refuse(request(Kind::OfferCopies, 0, 1));
  refuse(request(Kind::TakeCopies, 1, 2));
  refuse(request(Kind::TakeCopies, 0, 0));
  refuse(request(Kind::TakeCopies, 0, 3));
  refuse(request(Kind::TakeCopies, 0, 64));
  refuse(request(Kind::ReleaseCopies, 0));
  EXPECT_TRUE(send(request(Kind::OfferCopies, 1, copies_of(1), true)).empty());
  refuse(request(Kind::OfferCopies, 1, copies_of(1), true));
  EXPECT_TRUE(send(request(Kind::TakeCopies, 0, 2)).empty());
  refuse(request(Kind::TakeCopies, 0, 1));
  refuse(request(Kind::ReleaseCopies, 0));
}

TEST_F(GatheringsTest, ATeamThatIsOverLeavesNothing) {
  send(request(Kind::OfferCopies, 1, copies_of(1)));
  gatherings.forget_team(8);
  EXPECT_EQ(gatherings.under_way(), 1u);
  gatherings.forget_team(9);
  EXPECT_EQ(gatherings.under_way(), 0u);
}

} // namespace
} // namespace hetmp::runtime
