// Homes that move: the policy, what a move costs and what it saves, and how requests find the home.
#include "stories.hpp"

#include <cstdio>

namespace hetmp::dsm::protocol {
namespace {

TEST(HomePolicy, OnlyAStreakOfUpgradesAmongThree) {
  uint32_t streak = 0;
  for (uint32_t i = 0; i < longest_streak; ++i) {
    EXPECT_FALSE(home_moves(streak, 3));
    streak = next_streak(streak, true, true);
  }
  EXPECT_TRUE(home_moves(streak, 3));
  EXPECT_TRUE(home_moves(streak, most_nodes));
  EXPECT_FALSE(home_moves(streak, 2)); // nothing to gain
  EXPECT_EQ(next_streak(streak, true, true), longest_streak);
  EXPECT_EQ(next_streak(2, true, false), 2u); // only home had a copy: neither for nor against
  EXPECT_EQ(next_streak(2, false, true), 0u); // another writer
}

class ProtocolMoves : public Stories {
 protected:
  /// Node 1 is the main writer, 2 reads after each write, until the home has moved.
  void move_to_1() {
    write(1);
    for (uint32_t i = 0; i < longest_streak; ++i)
      read(2), write(1);
    ASSERT_TRUE(nodes[1].is_home(0));
    ASSERT_FALSE(nodes[0].is_home(0));
  }
};

TEST_F(ProtocolMoves, TheMainWritersRoundsCostHalf) {
  write(1);
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>1 FetchShared", "1 Protect", "1>2 DataShared", "2 InstallShared",
                            "2 Wake", "2>0 Done"}));
  size_t before = messages_in(log);
  EXPECT_EQ(write(1), (Names{"1>0 WriteRequest", "0>2 Invalidate", "2 Drop", "2>0 InvalidateAck", "0>1 Grant",
                             "1 Unprotect", "1 Wake"}));
  before += messages_in(log);
  for (uint32_t i = 1; i < longest_streak; ++i) {
    EXPECT_TRUE(nodes[0].is_home(0));
    read(2), write(1);
  }
  EXPECT_TRUE(nodes[1].is_home(0)); // it came with the Grant
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>1 ReadRequest", "1 Protect", "1>2 DataShared", "2 InstallShared",
                            "2 Wake"})); // once: now 2 knows
  EXPECT_EQ(write(1), (Names{"1>2 Invalidate", "2 Drop", "2>1 InvalidateAck", "1 Unprotect", "1 Wake"}));
  size_t after = messages_in(log);
  EXPECT_EQ(read(2), (Names{"2>1 ReadRequest", "1 Protect", "1>2 DataShared", "2 InstallShared", "2 Wake"}));
  after += messages_in(log);
  std::printf("a write by the main writer and a read by a third node: %zu messages, then %zu\n", before, after);
  EXPECT_EQ(before, 8u);
  EXPECT_EQ(after, 4u);
}

TEST_F(ProtocolMoves, WithoutAThirdNodeNothingMoves) {
  for (int i = 0; i < 8; ++i)
    write(1), read(0);
  EXPECT_TRUE(nodes[0].is_home(0));
}

TEST_F(ProtocolMoves, TwoWritersInTurnMoveNothing) {
  for (int i = 0; i < 8; ++i)
    read(3), write(1), read(3), write(2);
  EXPECT_TRUE(nodes[0].is_home(0));
}

TEST_F(ProtocolMoves, TheRegistrarAsksLikeAnyOther) {
  move_to_1();
  EXPECT_EQ(read(0), (Names{"0>1 ReadRequest", "1 Protect", "1>0 DataShared", "0 InstallShared", "0 Wake"}));
  // Its write takes the home back.
  EXPECT_EQ(write(0), (Names{"0>1 WriteRequest", "1 Drop", "1>0 Grant", "0 Unprotect", "0 Wake"}));
  EXPECT_TRUE(nodes[0].is_home(0));
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0 Protect", "0>2 DataShared", "2 InstallShared", "2 Wake"}));
}

TEST_F(ProtocolMoves, AnotherWriterSendsTheHomeBack) {
  move_to_1();
  EXPECT_EQ(write(3), (Names{"3>0 WriteRequest", "0>1 WriteRequest", "1 Protect", "1>3 DataExclusive", "1 Drop",
                             "3 InstallExclusive", "3 Wake", "3>1 Done", "1>0 Return"}));
  EXPECT_TRUE(nodes[0].is_home(0));
  EXPECT_EQ(nodes[0].sharing(0).owner, 3u);
  // 3 believes that home is at 1, which sends its request on.
  EXPECT_EQ(read(0), (Names{"0>3 FetchShared", "3 Protect", "3>0 DataShared", "0 InstallShared", "0 Wake"}));
  EXPECT_EQ(nodes[3].home(0), 0u); // and now knows better
}

TEST_F(ProtocolMoves, AWrongHintCostsOneForward) {
  move_to_1();
  read(2), read(3); // both know that home is at 1
  write(0);         // back at the registrar
  EXPECT_EQ(read(3),
            (Names{"3>1 ReadRequest", "1>0 ReadRequest", "0 Protect", "0>3 DataShared", "3 InstallShared", "3 Wake"}));
  EXPECT_EQ(nodes[3].home(0), 0u);
}

TEST_F(ProtocolMoves, AMovedHomePushes) {
  move_to_1();
  EXPECT_EQ(push(1, 0), (Names{"1 Protect", "1>0 Push", "0 InstallShared", "0 Wake"}));
  EXPECT_EQ(push(1, 3), (Names{"1>3 Push", "3 InstallShared", "3 Wake"}));
  EXPECT_EQ(nodes[3].home(0), 1u);
}

TEST_F(ProtocolMoves, FalseClaimsAreRefused) {
  move_to_1();
  const auto offer = [&](uint32_t to, uint32_t from, const Message& message) {
    actions.clear();
    const Status status = nodes[to].receive(from, message, actions);
    EXPECT_TRUE(status == Status::Ok || actions.empty());
    return status;
  };
  EXPECT_EQ(offer(0, 2, message_of(MessageType::Return, 0, 3)), Status::NotHome); // it is not at 2
  EXPECT_EQ(offer(0, 1, message_of(MessageType::Return, 0, 1)), Status::Impossible);
  EXPECT_EQ(offer(0, 1, message_of(MessageType::Return, 0, 0)), Status::Impossible);
  EXPECT_EQ(offer(0, 1, message_of(MessageType::Return, 0, 4)), Status::BadNode);
  EXPECT_EQ(offer(2, 1, message_of(MessageType::Return, 0, 3)), Status::NotHome); // not the registrar
  EXPECT_EQ(offer(1, 2, message_of(MessageType::ReadRequest, 0, 3)),
            Status::NotHome);                                                             // sent on by one who does not
  EXPECT_EQ(offer(0, 2, message_of(MessageType::ReadRequest, 0, 1)), Status::Impossible); // home does not ask
  EXPECT_EQ(offer(1, 0, message_of(MessageType::ReadRequest, 0, 1)), Status::Impossible);
  ASSERT_EQ(nodes[2].write_fault(0, actions), Status::Ok);
  EXPECT_EQ(offer(2, 3, message_of(MessageType::DataExclusive, 0, 0, 2)),
            Status::NotHome);                                                            // only from the registrar
  EXPECT_EQ(offer(2, 0, message_of(MessageType::DataShared, 0, 0, 2)), Status::NotHome); // only with a right
  EXPECT_EQ(offer(2, 0, message_of(MessageType::DataExclusive, 0, 0, 9)), Status::BadNode);
  ASSERT_EQ(nodes[0].read_fault(0, actions), Status::Ok);
  EXPECT_EQ(offer(0, 3, message_of(MessageType::DataShared, 0, 0, 3)),
            Status::NotHome); // the registrar knows better
  EXPECT_EQ(offer(0, 3, message_of(MessageType::Push, 0)), Status::NotHome);
}

} // namespace
} // namespace hetmp::dsm::protocol
