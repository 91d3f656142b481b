// Single operations from fault to wake-up: which messages they cost and in which order the edge acts.
#include "dsm/protocol/node.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hetmp::dsm::protocol {
namespace {

using Names = std::vector<std::string>;

/// Nodes without a model of their surroundings: actions and messages are looked at one by one. Home of page 0
/// is 0.
class ProtocolStories : public testing::Test {
 protected:
  static constexpr uint32_t count = 4;
  ProtocolStories() {
    for (uint32_t n = 0; n < count; ++n)
      nodes.emplace_back(n, count, Storage{&local[n], &directory[n], 1, home_of, nullptr});
  }
  static uint32_t home_of(const void*, PageNumber) { return 0; }

  struct Sent {
    uint32_t from, to;
    Message message;
  };

  /// A fault at node `n`, served to its end. `log` then has everything that happened.
  Names serve(uint32_t n, bool write) {
    log.clear();
    actions.clear();
    EXPECT_EQ(write ? nodes[n].write_fault(0, actions) : nodes[n].read_fault(0, actions), Status::Ok);
    note(n);
    for (size_t i = 0; i < sent.size(); ++i) {
      const Sent next = sent[i];
      actions.clear();
      EXPECT_EQ(nodes[next.to].receive(next.from, next.message, actions), Status::Ok);
      note(next.to);
    }
    sent.clear();
    return log;
  }
  Names read(uint32_t n) { return serve(n, false); }
  Names write(uint32_t n) { return serve(n, true); }

  void note(uint32_t n) {
    for (const Action& action : actions) {
      const bool message = action.kind == ActionKind::Send || action.kind == ActionKind::SendData;
      const std::string at = std::to_string(n);
      log.push_back(message ? at + ">" + std::to_string(action.to) + " " + name_of(action.message.type)
                            : at + " " + name_of(action.kind));
      if (message)
        sent.push_back({n, action.to, action.message});
    }
  }

  LocalPage local[count];
  DirectoryEntry directory[count];
  std::vector<Node> nodes;
  std::vector<Sent> sent;
  Actions actions;
  Names log;
};

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
  EXPECT_EQ(write(1), (Names{"1>0 WriteRequest", "0 Protect", "0>1 DataExclusive", "0 Drop",
                             "1 InstallExclusive", "1 Wake"}));
}

TEST_F(ProtocolStories, ContentGoesStraightFromOwnerToRequester) {
  write(1);
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>1 FetchShared", "1 Protect", "1>2 DataShared",
                            "2 InstallShared", "2 Wake", "2>0 Done"}));
  write(1);
  EXPECT_EQ(write(2), (Names{"2>0 WriteRequest", "0>1 FetchExclusive", "1 Protect", "1>2 DataExclusive",
                             "1 Drop", "2 InstallExclusive", "2 Wake", "2>0 Done"}));
}

TEST_F(ProtocolStories, HomeAsRequesterSendsNoRequest) {
  write(1);
  EXPECT_EQ(read(0), (Names{"0>1 FetchShared", "1 Protect", "1>0 DataShared", "0 InstallShared", "0 Wake"}));
  EXPECT_EQ(write(0), (Names{"0>1 Invalidate", "1 Drop", "1>0 InvalidateAck", "0 Unprotect", "0 Wake"}));
}

TEST_F(ProtocolStories, HomeSuppliesWhenItHasACopy) {
  write(1), read(0); // 1 is the owner, home shares
  EXPECT_EQ(read(2), (Names{"2>0 ReadRequest", "0>2 DataShared", "2 InstallShared", "2 Wake"}));
  EXPECT_EQ(write(3), (Names{"3>0 WriteRequest", "0>1 Invalidate", "0>2 Invalidate", "1 Drop",
                             "1>0 InvalidateAck", "2 Drop", "2>0 InvalidateAck", "0>3 DataExclusive",
                             "0 Drop", "3 InstallExclusive", "3 Wake"}));
}

TEST_F(ProtocolStories, QueueMovesOnAtOnceAfterAnotherNodesRequest) {
  write(1);
  ASSERT_EQ(nodes[0].receive(2, {MessageType::ReadRequest, 0, {}, 0}, actions), Status::Ok); // fetches from 1
  ASSERT_EQ(nodes[0].receive(3, {MessageType::ReadRequest, 0, {}, 0}, actions), Status::Ok);
  actions.clear();
  ASSERT_EQ(nodes[0].receive(2, {MessageType::Done, 0, {}, 0}, actions), Status::Ok);
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
  EXPECT_EQ(write(2), (Names{"2>0 WriteRequest", "0>1 Invalidate", "0>3 Invalidate", "0 Drop", "1 Drop",
                             "1>0 InvalidateAck", "3 Drop", "3>0 InvalidateAck", "0>2 Grant", "2 Unprotect",
                             "2 Wake"}));
}

TEST_F(ProtocolStories, WriteOfASharedPageLeavesOneSupplier) {
  write(1), read(2); // shared by 1, the owner, and 2; home has no copy
  EXPECT_EQ(write(3),
            (Names{"3>0 WriteRequest", "0>2 Invalidate", "2 Drop", "2>0 InvalidateAck", "0>1 FetchExclusive",
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
  ASSERT_EQ(nodes[0].receive(2, {MessageType::WriteRequest, 0, {}, 0}, actions), Status::Ok);
  actions.clear();
  ASSERT_EQ(nodes[0].receive(1, {MessageType::DataExclusive, 0, {}, 0}, actions), Status::Ok);
  note(0);
  EXPECT_EQ(log.back(), "0 Hold");
  EXPECT_EQ(nodes[0].state(0), LocalState::Exclusive);
  log.clear(), actions.clear();
  ASSERT_EQ(nodes[0].resume(0, actions), Status::Ok);
  note(0);
  EXPECT_EQ(log, (Names{"0 Protect", "0>2 DataExclusive", "0 Drop"}));
  EXPECT_EQ(nodes[0].busy_pages(), 0u);
}

} // namespace
} // namespace hetmp::dsm::protocol
