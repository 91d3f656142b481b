// Single operations from fault to wake-up: which messages they cost and in which order the edge acts.
#include "stories.hpp"

namespace hetmp::dsm::protocol {
namespace {

using ProtocolStories = Stories;

TEST_F(ProtocolStories, ZeroMemoryMeansExclusiveAtHome) {
  EXPECT_EQ(nodes[0].state(0), LocalState::Exclusive);
  EXPECT_EQ(nodes[1].state(0), LocalState::Invalid);
  EXPECT_EQ(write(0), Names{"0 Wake"});
  EXPECT_EQ(nodes[0].busy_pages(), 0u);
}

TEST_F(ProtocolStories, ReadOfAPageAtHomeCostsTwoMessages) {
  EXPECT_EQ(read(1), (Names{"1>0 ReadRequest", "0 Protect", "0>1 DataShared", "1 InstallShared", "1 Wake"}));
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>2 DataShared", "2 InstallShared", "2 Wake"}));
}

TEST_F(ProtocolStories, WriteOfAPageAtHomeCostsTwoMessages) {
  EXPECT_EQ(write(1),
            (Names{"1>0 WriteRequest", "0 Protect", "0>1 DataExclusive", "0 Drop", "1 InstallExclusive", "1 Wake"}));
}

TEST_F(ProtocolStories, ContentGoesStraightFromOwnerToRequester) {
  write(1);
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>1 FetchShared", "1 Protect", "1>2 DataShared", "2 InstallShared",
                            "2 Wake", "2>0 Done"}));
  write(1);
  EXPECT_EQ(write(2), (Names{"2>0 WriteRequest", "0>1 FetchExclusive", "1 Protect", "1>2 DataExclusive", "1 Drop",
                             "2 InstallExclusive", "2 Wake", "2>0 Done"}));
}

TEST_F(ProtocolStories, HomeAsRequesterSendsNoRequest) {
  write(1);
  EXPECT_EQ(read(0), (Names{"0>1 FetchShared", "1 Protect", "1>0 DataShared", "0 InstallShared", "0 Wake"}));
  EXPECT_EQ(write(0), (Names{"0>1 Invalidate", "1 Drop", "1>0 InvalidateAck", "0 Unprotect", "0 Wake"}));
}

TEST_F(ProtocolStories, HomeSuppliesWhenItHasACopy) {
  write(1), read(0); // 1 is the owner, home shares
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>2 DataShared", "2 InstallShared", "2 Wake"}));
  EXPECT_EQ(write(3),
            (Names{"3>0 WriteRequest", "0>1 Invalidate", "0>2 Invalidate", "1 Drop", "1>0 InvalidateAck", "2 Drop",
                   "2>0 InvalidateAck", "0>3 DataExclusive", "0 Drop", "3 InstallExclusive", "3 Wake"}));
}

TEST_F(ProtocolStories, QueueMovesOnAtOnceAfterAnotherNodesRequest) {
  write(1);
  ASSERT_EQ(nodes[0].receive(2, message_of(MessageType::ReadRequest, 0, 2), actions),
            Status::Ok); // fetches from 1
  ASSERT_EQ(nodes[0].receive(3, message_of(MessageType::ReadRequest, 0, 3), actions), Status::Ok);
  actions.clear();
  ASSERT_EQ(nodes[0].receive(2, message_of(MessageType::Done, 0), actions), Status::Ok);
  note(0);
  EXPECT_EQ(log.back(), "0>1 FetchShared");
  EXPECT_EQ(nodes[0].transaction(0)->current.node, 3);
}

TEST_F(ProtocolStories, UpgradeMovesNoContent) {
  read(1);
  EXPECT_EQ(write(1), (Names{"1>0 WriteRequest", "0 Drop", "0>1 Grant", "1 Unprotect", "1 Wake"}));
}

TEST_F(ProtocolStories, UpgradeWaitsForEverySharer) {
  read(1), read(2), read(3);
  EXPECT_EQ(write(2),
            (Names{"2>0 WriteRequest", "0>1 Invalidate", "0>3 Invalidate", "0 Drop", "1 Drop", "1>0 InvalidateAck",
                   "3 Drop", "3>0 InvalidateAck", "0>2 Grant", "2 Unprotect", "2 Wake"}));
}

TEST_F(ProtocolStories, WriteOfASharedPageLeavesOneSupplier) {
  write(1), read(2); // shared by 1, the owner, and 2; home has no copy
  EXPECT_EQ(write(3), (Names{"3>0 WriteRequest", "0>2 Invalidate", "2 Drop", "2>0 InvalidateAck", "0>1 FetchExclusive",
                             "1>3 DataExclusive", "1 Drop", "3 InstallExclusive", "3 Wake", "3>0 Done"}));
}

TEST_F(ProtocolStories, RepeatedFaultsAskOnce) {
  ASSERT_EQ(nodes[1].read_fault(0, actions), Status::Ok);
  actions.clear();
  EXPECT_EQ(nodes[1].read_fault(0, actions), Status::Ok);
  EXPECT_EQ(nodes[1].write_fault(0, actions), Status::Ok);
  EXPECT_TRUE(actions.empty());
  EXPECT_EQ(nodes[1].outstanding(0), Outstanding::Read);
}

TEST_F(ProtocolStories, HomeKeepsThePageUntilItsHoldTimeIsOver) {
  write(1);
  ASSERT_EQ(nodes[0].write_fault(0, actions), Status::Ok); // fetches from 1
  ASSERT_EQ(nodes[0].receive(2, message_of(MessageType::WriteRequest, 0, 2), actions), Status::Ok);
  actions.clear();
  ASSERT_EQ(nodes[0].receive(1, message_of(MessageType::DataExclusive, 0), actions), Status::Ok);
  note(0);
  EXPECT_EQ(log.back(), "0 Hold");
  EXPECT_EQ(nodes[0].state(0), LocalState::Exclusive);
  log.clear(), actions.clear();
  ASSERT_EQ(nodes[0].resume(0, actions), Status::Ok);
  note(0);
  EXPECT_EQ(log, (Names{"0 Protect", "0>2 DataExclusive", "0 Drop"}));
  EXPECT_EQ(nodes[0].busy_pages(), 0u);
}

TEST_F(ProtocolStories, PushCostsOneMessage) {
  EXPECT_EQ(push(0, 1), (Names{"0 Protect", "0>1 Push", "1 InstallShared", "1 Wake"}));
  EXPECT_EQ(push(0, 2), (Names{"0>2 Push", "2 InstallShared", "2 Wake"}));
  EXPECT_EQ(push(0, 2), Names{}); // it has a copy
  EXPECT_EQ(read(2), Names{"2 Wake"});
  EXPECT_EQ(write(1), (Names{"1>0 WriteRequest", "0>2 Invalidate", "0 Drop", "2 Drop", "2>0 InvalidateAck", "0>1 Grant",
                             "1 Unprotect", "1 Wake"}));
  EXPECT_EQ(push(0, 2), Names{}); // home has no copy
  EXPECT_EQ(push(1, 2), Names{}); // 1 has, but is not home
}

TEST_F(ProtocolStories, PushMeetsARead) {
  ASSERT_EQ(nodes[1].read_fault(0, actions), Status::Ok);
  note(1); // the request is under way
  actions.clear();
  ASSERT_EQ(nodes[0].push(0, 1, actions), Status::Ok);
  note(0);
  EXPECT_EQ(settle(),
            (Names{"1>0 ReadRequest", "0 Protect", "0>1 Push", "0>1 Keep", "1 InstallShared", "1 Wake", "1 Wake"}));
  EXPECT_EQ(nodes[1].outstanding(0), Outstanding::None);
}

TEST_F(ProtocolStories, PushMeetsAWrite) {
  ASSERT_EQ(nodes[1].write_fault(0, actions), Status::Ok);
  note(1);
  actions.clear();
  ASSERT_EQ(nodes[0].push(0, 1, actions), Status::Ok);
  note(0);
  EXPECT_EQ(settle(), (Names{"1>0 WriteRequest", "0 Protect", "0>1 Push", "0 Drop", "0>1 Grant", "1 InstallShared",
                             "1 Wake", "1 Unprotect", "1 Wake"}));
  EXPECT_EQ(nodes[1].state(0), LocalState::Exclusive);
}

TEST_F(ProtocolStories, ABusyPageIsNotPushed) {
  read(1);
  ASSERT_EQ(nodes[0].write_fault(0, actions),
            Status::Ok); // waits for 1's acknowledgement; home still has its copy
  actions.clear();
  EXPECT_EQ(nodes[0].push(0, 2, actions), Status::Ok);
  EXPECT_TRUE(actions.empty());
}

TEST_F(ProtocolStories, ASurvivorOfALossTakesNothing) {
  read(1), read(2);
  nodes[0].lose(2);
  actions.clear();
  EXPECT_EQ(nodes[0].write_fault(0, actions), Status::NodeLost);
  EXPECT_EQ(nodes[0].read_fault(0, actions), Status::NodeLost);
  EXPECT_EQ(nodes[0].receive(1, message_of(MessageType::WriteRequest, 0, 1), actions), Status::NodeLost);
  EXPECT_EQ(nodes[0].push(0, 3, actions), Status::NodeLost);
  EXPECT_EQ(nodes[0].resume(0, actions), Status::NodeLost);
  EXPECT_TRUE(actions.empty());
  EXPECT_EQ(nodes[0].state(0), LocalState::Shared); // what is here stays here
}

} // namespace
} // namespace hetmp::dsm::protocol
