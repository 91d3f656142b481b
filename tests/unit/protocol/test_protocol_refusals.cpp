// Messages that no correct run delivers are refused with a status and leave no trace; nothing crashes a node.
#include "explorer.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>

namespace hetmp::dsm::protocol::model {
namespace {

class ProtocolRefusals : public testing::Test {
 protected:
  Status at_home(uint32_t from, const Message& message) { return receive(0, from, message); }
  Status elsewhere(uint32_t from, const Message& message) { return receive(1, from, message); }
  Status receive(uint32_t node, uint32_t from, const Message& message) {
    actions.clear();
    return world.mutable_node(node).receive(from, message, actions);
  }

  World world{{3, 1, 0}}; // the page is exclusive at node 0, its home
  Actions actions;
};

TEST_F(ProtocolRefusals, MalformedMessages) {
  EXPECT_EQ(at_home(1, message_of(static_cast<MessageType>(0), 0)), Status::BadType);
  EXPECT_EQ(at_home(1, message_of(static_cast<MessageType>(last_message_type + 1), 0)), Status::BadType);
  EXPECT_EQ(at_home(1, message_of(static_cast<MessageType>(255), 0)), Status::BadType);
  EXPECT_EQ(at_home(1, message_of(MessageType::ReadRequest, 1, 1)), Status::BadPage);
  EXPECT_EQ(at_home(1, message_of(MessageType::ReadRequest, UINT64_MAX, 1)), Status::BadPage);
  EXPECT_EQ(at_home(3, message_of(MessageType::ReadRequest, 0, 1)), Status::BadNode);
  EXPECT_EQ(at_home(1, message_of(MessageType::ReadRequest, 0, 3)), Status::BadNode);
  EXPECT_EQ(at_home(UINT32_MAX, message_of(MessageType::ReadRequest, 0, 1)), Status::BadNode);
  EXPECT_EQ(at_home(0, message_of(MessageType::ReadRequest, 0)), Status::BadNode);
  EXPECT_EQ(elsewhere(0, message_of(MessageType::FetchShared, 0, 3)), Status::BadNode);
  EXPECT_EQ(elsewhere(0, message_of(MessageType::FetchExclusive, 0, 255)), Status::BadNode);
  EXPECT_EQ(elsewhere(0, message_of(MessageType::FetchShared, 0, 1)), Status::BadNode);
  EXPECT_EQ(elsewhere(0, message_of(MessageType::Grant, 0, 0, 3)), Status::BadNode);
  EXPECT_TRUE(actions.empty());
}

TEST_F(ProtocolRefusals, WrongRoles) {
  for (const MessageType type : {MessageType::InvalidateAck, MessageType::Done, MessageType::Return})
    EXPECT_EQ(elsewhere(2, message_of(type, 0)), Status::NotHome) << name_of(type);
  for (const MessageType type : {MessageType::FetchShared, MessageType::FetchExclusive, MessageType::Invalidate,
                                 MessageType::Grant, MessageType::Keep}) {
    EXPECT_EQ(elsewhere(2, message_of(type, 0)), Status::NotHome) << name_of(type);
    EXPECT_EQ(at_home(1, message_of(type, 0, 2)), Status::NotHome) << name_of(type);
  }
  EXPECT_EQ(at_home(1, message_of(MessageType::Push, 0)), Status::NotHome);
  EXPECT_EQ(at_home(1, message_of(MessageType::Return, 0, 2)), Status::NotHome); // home is here
  EXPECT_EQ(elsewhere(2, message_of(MessageType::ReadRequest, 0, 0)),
            Status::NotHome); // not for 2 to send on
}

TEST_F(ProtocolRefusals, AnswersNobodyAskedFor) {
  for (const MessageType type :
       {MessageType::InvalidateAck, MessageType::Done, MessageType::DataShared, MessageType::DataExclusive})
    EXPECT_EQ(at_home(1, message_of(type, 0)), Status::Impossible) << name_of(type);
  for (const MessageType type :
       {MessageType::DataShared, MessageType::DataExclusive, MessageType::Grant, MessageType::Invalidate,
        MessageType::FetchShared, MessageType::FetchExclusive, MessageType::Keep})
    EXPECT_EQ(elsewhere(0, message_of(type, 0, 2)), Status::Impossible) << name_of(type);
}

TEST_F(ProtocolRefusals, RequestsNobodyCanHave) {
  const auto ask = [&](uint32_t from, MessageType type) { return at_home(from, message_of(type, 0, from)); };
  ASSERT_EQ(ask(1, MessageType::ReadRequest), Status::Ok);
  ASSERT_EQ(ask(1, MessageType::WriteRequest), Status::Ok);
  EXPECT_EQ(ask(1, MessageType::WriteRequest), Status::Impossible); // node 1 may write
  EXPECT_EQ(ask(1, MessageType::ReadRequest), Status::Impossible);
  ASSERT_EQ(ask(2, MessageType::ReadRequest), Status::Ok);          // node 1 will supply it
  EXPECT_EQ(ask(2, MessageType::WriteRequest), Status::Impossible); // one at a time
  ASSERT_EQ(ask(1, MessageType::WriteRequest), Status::Ok);         // waits in the queue
  EXPECT_EQ(ask(1, MessageType::WriteRequest), Status::Impossible);
  EXPECT_EQ(at_home(2, message_of(MessageType::WriteRequest, 0, 1)),
            Status::Impossible);                                                          // nor by another way
  EXPECT_EQ(at_home(2, message_of(MessageType::WriteRequest, 0, 0)), Status::Impossible); // home asked nobody
  EXPECT_EQ(at_home(1, message_of(MessageType::Done, 0)), Status::Impossible);            // not node 1's turn
  EXPECT_EQ(world.node(0).transaction(0)->queue.size(), 1u);
}

TEST_F(ProtocolRefusals, FaultsAndResumesOutOfPlace) {
  Node& home = world.mutable_node(0);
  EXPECT_EQ(home.read_fault(1, actions), Status::BadPage);
  EXPECT_EQ(home.write_fault(UINT64_MAX, actions), Status::BadPage);
  EXPECT_EQ(home.resume(0, actions), Status::Impossible);
  EXPECT_EQ(home.resume(1, actions), Status::BadPage);
  EXPECT_EQ(world.mutable_node(1).resume(0, actions), Status::NotHome);
  EXPECT_EQ(home.push(1, 1, actions), Status::BadPage);
  EXPECT_EQ(home.push(0, 0, actions), Status::BadNode);
  EXPECT_EQ(home.push(0, 3, actions), Status::BadNode);
  EXPECT_EQ(world.mutable_node(1).push(0, 2, actions), Status::Ok); // not home: nothing happens
  EXPECT_TRUE(actions.empty());
}

/// Offers a copy of the world every message there can be at every node; refused ones must leave the world as
/// it was.
void offer_everything(const World& world, std::map<Status, size_t>& outcomes) {
  const std::string before = key_of(world);
  const uint32_t nodes = world.dimensions().nodes;
  Actions actions;
  for (uint32_t to = 0; to < nodes; ++to)
    for (uint32_t from = 0; from <= nodes; ++from)
      for (uint8_t type = 0; type <= last_message_type + 1; ++type)
        for (uint32_t named = 0; named < (nodes + 1) * (nodes + 1); ++named) {
          actions.clear();
          World other = world;
          const Message forged =
              message_of(static_cast<MessageType>(type), 0, named / (nodes + 1), named % (nodes + 1));
          const Status status = other.mutable_node(to).receive(from, forged, actions);
          ++outcomes[status];
          if (status != Status::Ok) {
            ASSERT_TRUE(actions.empty()) << text_of(status);
            ASSERT_EQ(key_of(other), before) << text_of(status);
          }
        }
}

TEST(ProtocolRefusalsEverywhere, LeaveNoTrace) {
  std::map<Status, size_t> outcomes;
  std::mt19937_64 random(5);
  for (int run = 0; run < 20; ++run) {
    World world({3, 1, 1, false, {true, true, true, false}});
    std::vector<Event> events;
    for (int step = 0; step < 25; ++step) {
      events.clear();
      world.progress(events);
      for (uint32_t n = 0; n < 3; ++n)
        events.push_back({random() % 2 ? Event::Kind::ReadFault : Event::Kind::WriteFault, n, 0});
      if (world.home(0) && world.home(0) != &world.node(0))
        events.push_back({Event::Kind::Push, 0, 0});
      Event event = events[random() % events.size()];
      event.move = random() % 2;
      world.apply(event);
      ASSERT_EQ(world.problem, "");
      offer_everything(world, outcomes);
    }
  }
  for (const auto& [status, count] : outcomes)
    std::printf("%s: %zu\n", text_of(status), count);
  for (const Status status : {Status::BadType, Status::BadNode, Status::NotHome, Status::Impossible})
    EXPECT_GT(outcomes[status], 0u) << text_of(status);
  EXPECT_GT(outcomes[Status::Impossible], outcomes[Status::Ok]);
}

/// A node among liars: whatever it is told, what it says stays well-formed and its tables stay bounded.
TEST(ProtocolRefusalsEverywhere, NoiseDoesNotCrash) {
  constexpr uint32_t nodes = 5, pages = 3;
  World world({nodes, pages, 2});
  std::mt19937_64 random(77);
  Actions actions;
  size_t accepted = 0, refused = 0;
  for (int step = 0; step < 400'000; ++step) {
    const uint32_t to = random() % nodes;
    Node& node = world.mutable_node(to);
    const bool wild = random() % 16 == 0;
    const PageNumber page = wild ? random() : random() % pages;
    actions.clear();
    Status status;
    switch (random() % 10) {
    case 0:
      status = node.read_fault(page, actions);
      break;
    case 1:
      status = node.write_fault(page, actions);
      break;
    case 2:
      status = node.resume(page, actions);
      break;
    case 3:
      status = node.push(page, random() % nodes, actions);
      break;
    default: {
      const uint8_t type = static_cast<uint8_t>(wild ? random() : 1 + random() % last_message_type);
      const uint8_t requester = static_cast<uint8_t>(wild ? random() : random() % nodes);
      const uint8_t home = static_cast<uint8_t>(wild ? random() : random() % nodes);
      status = node.receive(random() % (nodes + wild),
                            message_of(static_cast<MessageType>(type), page, requester, home), actions);
    }
    }
    ++(status == Status::Ok ? accepted : refused);
    ASSERT_TRUE(status == Status::Ok || actions.empty());
    for (const Action& action : actions) {
      ASSERT_EQ(action.page(), page);
      if (action.kind == ActionKind::Send || action.kind == ActionKind::SendData) {
        ASSERT_LT(action.to, nodes);
        ASSERT_NE(action.to, to);
      }
    }
    ASSERT_LE(node.busy_pages(), pages);
  }
  EXPECT_GT(accepted, 10'000u);
  EXPECT_GT(refused, 10'000u);
}

} // namespace
} // namespace hetmp::dsm::protocol::model
