// Reductions at the coordinator: node 0 gets every node's copies once, whoever comes first, and those who wait are let
// go when it is done.
#include "runtime/global/gatherings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hetmp::runtime {
namespace {

class GatheringsTest : public testing::Test {
 protected:
  static constexpr NodeSet participants = NodeSet::of_bits(0b10111); // node 3 is not in the team

  struct Outcome {
    bool right = false;
    std::vector<Answer> answers;
  };

  static Asker asker(uint32_t node) { return {node, 100 + node}; }
  Outcome offer(uint32_t node, uint64_t address, bool waits = false, uint64_t sequence = 5) {
    Outcome outcome;
    outcome.right = gatherings.offer(asker(node), {{9, sequence}, participants, address, waits}, outcome.answers);
    return outcome;
  }
  Outcome take(uint32_t node, uint32_t of_node, uint64_t sequence = 5) {
    Outcome outcome;
    outcome.right = gatherings.take(asker(node), {{9, sequence}, participants, of_node}, outcome.answers);
    return outcome;
  }
  Outcome release(uint32_t node, uint64_t sequence = 5) {
    Outcome outcome;
    outcome.right = gatherings.release(asker(node), {{9, sequence}, participants}, outcome.answers);
    return outcome;
  }
  static std::vector<Answer> right(const Outcome& outcome) {
    EXPECT_TRUE(outcome.right);
    return outcome.answers;
  }
  static void refused(const Outcome& outcome) {
    EXPECT_FALSE(outcome.right);
    EXPECT_TRUE(outcome.answers.empty());
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
        answers = right(take(0, wanted[taken], sequence));
        asking = true;
      } else if (offered < offers.size()) {
        const uint32_t node = offers[offered++];
        answers = right(offer(node, copies_of(node), waits, sequence));
      }
      ASSERT_LE(answers.size(), 1u);
      if (answers.empty())
        continue;
      EXPECT_EQ(answers[0].to, asker(0));
      EXPECT_EQ(std::get<Answer::Copies>(answers[0].content).address, copies_of(wanted[taken++]));
      asking = false;
    }
    if (waits) {
      std::vector<uint32_t> released;
      for (const Answer& answer : right(release(0, sequence)))
        released.push_back(answer.to.node);
      std::sort(released.begin(), released.end());
      EXPECT_EQ(released, wanted);
    }
    EXPECT_EQ(gatherings.under_way(), 0u);
  }
}

TEST_F(GatheringsTest, WhatNoCorrectNodeSendsIsRefused) {
  refused(offer(0, 1));
  refused(take(1, 2));
  refused(take(0, 0));
  refused(take(0, 3));
  refused(take(0, 64));
  refused(release(0));
  EXPECT_TRUE(right(offer(1, copies_of(1), true)).empty());
  refused(offer(1, copies_of(1), true));
  EXPECT_TRUE(right(take(0, 2)).empty());
  refused(take(0, 1));
  refused(release(0));
}

TEST_F(GatheringsTest, ATeamThatIsOverLeavesNothing) {
  right(offer(1, copies_of(1)));
  gatherings.forget_team(8);
  EXPECT_EQ(gatherings.under_way(), 1u);
  gatherings.forget_team(9);
  EXPECT_EQ(gatherings.under_way(), 0u);
}

} // namespace
} // namespace hetmp::runtime
