// Nodes over RDMA: encrypted, with the smallest rings, with peers that end, fall silent, or write what is no message.
// The devices are simulated; tests/rdma has real ones.
#include "base/seal/sodium_cipher.hpp"
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/rdma/verbs_or_tcp.hpp"
#include "dsm/transport/rdma/verbs_transport.hpp"
#include "numbered_messages.hpp"
#include "simulated_rdma.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace hetmp::dsm {
namespace {

constexpr uint32_t nodes = 3;

/// Node 0 is the one that is tested, node 1 one whose device the test may use as it likes, node 2 a good peer.
class VerbsTransportTest : public testing::Test {
 protected:
  struct Settings {
    bool small = false;
    bool sealed = false;
    bool watch_silence = false;
    int64_t patience_ns = Transport::usual_patience_ns;
  };
  void connect() { connect(Settings{}); }
  void connect(const Settings& settings) {
    const auto sockets = connect_by_loopback(nodes);
    const auto keys = make_keys(nodes);
    std::vector<std::thread> joining; // each waits for the others
    for (uint32_t i = 0; i < nodes; ++i) {
      auto device = std::make_unique<SimulatedRdma>();
      devices[i] = device.get();
      node[i] = std::make_unique<VerbsTransport>(std::move(device));
      if (settings.small)
        node[i]->make_small();
      joining.emplace_back([&, i] {
        Transport::Place place{.node = i, .nodes = nodes, .sockets = sockets[i]};
        place.watch = settings.watch_silence ? Transport::Watch::Silence : Transport::Watch::Nobody;
        place.patience_ns = settings.patience_ns;
        if (settings.sealed) {
          place.cipher = seal::sodium_cipher();
          place.keys = &keys[i];
        }
        node[i]->join(place);
      });
    }
    for (std::thread& thread : joining)
      thread.join();
  }

  /// What the service thread of a node does, once. How many messages came.
  static size_t serve(
      Transport& transport, const Transport::Handle& handle = [](uint32_t, const Slot&) {}) {
    const size_t messages = transport.receive(handle);
    transport.flush();
    return messages;
  }
  std::optional<Transport::Loss> wait_for_loss(size_t* messages = nullptr) {
    for (int waited_ms = 0; waited_ms < long_ms; ++waited_ms) {
      const size_t got = serve(*node[0]);
      if (messages)
        *messages += got;
      if (auto loss = node[0]->find_loss())
        return loss;
      wait_for_messages(*node[0], 1);
    }
    return {};
  }
  /// Each sends `count` messages on each lane to the other, all of which arrive.
  static bool exchange(Transport& one, Transport& other, uint32_t name_of_one, uint32_t name_of_other, uint64_t count) {
    Transport* const sides[2] = {&one, &other};
    const uint32_t names[2] = {name_of_one, name_of_other};
    bool right[2] = {true, true};
    std::atomic<int> over = 0; ///< sides that have all, or have given up
    std::vector<std::thread> threads;
    for (int side = 0; side < 2; ++side) {
      threads.emplace_back([&, side] { // a thread of the program
        for (uint64_t i = 0; i < count; ++i)
          send_numbered(*sides[side], names[1 - side], Lane::Anyone, i);
      });
      threads.emplace_back([&, side] { // the service thread
        Transport& own = *sides[side];
        Checker checker;
        uint64_t sent = 0;
        const auto is_over = [&] {
          return sent == count && checker.arrived(Lane::Anyone) == count && checker.arrived(Lane::Service) == count;
        };
        int idle_ms = 0;
        while (right[side] && idle_ms < long_ms && !is_over()) {
          for (int i = 0; i < 10 && sent < count && own.has_room(names[1 - side]); ++i)
            send_numbered(own, names[1 - side], Lane::Service, sent++);
          const size_t got = serve(own, [&](uint32_t from, const Slot& slot) {
            right[side] = right[side] && from == names[1 - side] && checker.accept(slot);
          });
          idle_ms = got != 0 || wait_for_messages(own, 1) ? 0 : idle_ms + 1;
        }
        right[side] = right[side] && is_over();
        for (++over; over != 2; wait_for_messages(own, 1)) // the other side may wait for what only this one sends
          serve(own);
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    return right[0] && right[1];
  }
  void expect_good_peer() { EXPECT_TRUE(exchange(*node[0], *node[2], 0, 2, 3)); }

  std::unique_ptr<VerbsTransport> node[nodes];
  SimulatedRdma* devices[nodes] = {};
};

TEST_F(VerbsTransportTest, ManyMessagesOfEverySizeOnBothLanesBothWays) {
  for (const bool small : {false, true})
    for (const bool sealed : {false, true}) {
      connect({.small = small, .sealed = sealed});
      EXPECT_TRUE(exchange(*node[0], *node[2], 0, 2, 3000)) << small << sealed;
    }
}

TEST_F(VerbsTransportTest, APeerThatEndsIsLostOnceAfterWhatItSent) {
  connect();
  for (uint64_t i = 0; i < 20; ++i)
    send_numbered(*node[1], 0, Lane::Service, i);
  node[1]->flush();
  node[1].reset();
  size_t messages = 0;
  const auto loss = wait_for_loss(&messages);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason, "its connection was closed") << "not what the device says";
  EXPECT_EQ(messages, 20u);
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(node[0]->find_loss()) << "told once";
  for (uint64_t i = 0; i < 2000; ++i)
    send_numbered(*node[0], 1, Lane::Service, i);
  EXPECT_FALSE(node[0]->flush()) << "nothing may wait for a lost node";
  EXPECT_TRUE(node[0]->has_room(1));
  expect_good_peer();
}

TEST_F(VerbsTransportTest, WhoWaitsForRoomOfANodeThatIsLostGoesOn) {
  connect({.small = true});
  std::thread program([this] {
    for (uint64_t i = 0; i < 3 * Ring::slots; ++i)
      send_numbered(*node[0], 1, Lane::Anyone, i);
  });
  for (int i = 0; i < 20; ++i) {
    serve(*node[0]);
    wait_for_messages(*node[0], 1);
  }
  node[1].reset();
  EXPECT_TRUE(wait_for_loss());
  std::atomic<bool> has_ended = false;
  std::thread service([&] {
    while (!has_ended)
      serve(*node[0]);
  });
  program.join();
  has_ended = true;
  service.join();
}

TEST_F(VerbsTransportTest, ASilentPeerIsLostAndAStoppedOneIsNot) {
  connect({.watch_silence = true, .patience_ns = 200'000'000});
  send_numbered(*node[1], 0, Lane::Service, 0);
  send_numbered(*node[2], 0, Lane::Service, 0);
  node[1]->flush();
  std::atomic<bool> over = false;
  std::thread good([&] {
    while (!over) {
      send_numbered(*node[2], 0, Lane::Service, 1);
      serve(*node[2]);
      node[2]->find_loss();
      usleep(10'000);
    }
  });
  const auto loss = wait_for_loss();
  over = true;
  good.join();
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason, "nothing came from it for 0 s");
}

TEST_F(VerbsTransportTest, AConnectionThatBreaksIsALoss) {
  connect();
  devices[0]->fail(1);
  const auto loss = wait_for_loss();
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason, "its connection broke: simulated failure");
  expect_good_peer();
}

TEST_F(VerbsTransportTest, ADeviceThatBreaksDownLosesAll) {
  connect();
  send_numbered(*node[1], 0, Lane::Service, 0);
  node[1]->flush();
  devices[0]->break_down();
  for (const uint32_t lost : {1u, 2u}) {
    const auto loss = wait_for_loss();
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->node, lost);
    EXPECT_EQ(loss->reason, "simulated: CQ error");
  }
  const auto loss = [this] { // of the others, by the sockets
    for (int waited_ms = 0; waited_ms < long_ms; ++waited_ms, wait_for_messages(*node[2], 1)) {
      serve(*node[2]);
      if (auto found = node[2]->find_loss())
        return found;
    }
    return std::optional<Transport::Loss>();
  }();
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 0u);
  EXPECT_EQ(loss->reason, "its connection was closed");
}

// ---- peers that are not to be trusted

struct Frame {
  FrameHead head;
  SlotHeader header;
};
static_assert(sizeof(Frame) == 80);

TEST_F(VerbsTransportTest, WhatIsNoMessageLosesThatPeerOnly) {
  Frame right{};
  right.header.channel = Channel::Runtime;
  struct Case {
    const char* name;
    std::function<void(Frame&)> change;
    uint32_t offset = 0;
    uint32_t immediate = 0;
    uint32_t bytes = sizeof(Frame);
  };
  const Case cases[] = {
      {"more data than a message has",
       [](Frame& frame) { frame.head.data_bytes = frame.header.data_bytes = most_data_bytes + 1; }},
      {"two lengths", [](Frame& frame) { frame.header.data_bytes = 8; }},
      {"data that did not come", [](Frame& frame) { frame.head.data_bytes = frame.header.data_bytes = 8; }},
      {"no channel", [](Frame& frame) { frame.header.channel = Channel(77); }},
      {"a longer message than there is room for", [](Frame& frame) { frame.header.header_bytes = 49; }},
      {"no lane", [](Frame& frame) { frame.head.lane = Lane(2); }},
      {"credit for what was not sent", [](Frame& frame) { frame.head.credit = 5; }},
      {"another place", [](Frame&) {}, ring_unit, 1},
      {"a place behind the ring", [](Frame&) {}, 0, 0x7fff'ffff},
      {"a report of what was not sent", [](Frame&) {}, 0, report_mark | 1},
      {"fewer bytes than a message has", [](Frame&) {}, 0, 0, 10},
  };
  for (const Case& one : cases) {
    connect();
    Frame frame = right;
    one.change(frame);
    devices[1]->write(0, &frame, one.bytes, one.offset, one.immediate);
    size_t messages = 0;
    const auto loss = wait_for_loss(&messages);
    ASSERT_TRUE(loss) << one.name;
    EXPECT_EQ(loss->node, 1u) << one.name;
    EXPECT_EQ(loss->reason, "it sent what is no message") << one.name;
    EXPECT_EQ(messages, 0u) << one.name;
    expect_good_peer();
  }
}

TEST_F(VerbsTransportTest, WhatIsRightIsTaken) {
  connect();
  Frame frame{};
  frame.header.channel = Channel::Runtime;
  devices[1]->write(0, &frame, sizeof frame, 0, 0);
  EXPECT_EQ(serve(*node[0]), 1u);
  EXPECT_FALSE(node[0]->find_loss());
}

TEST_F(VerbsTransportTest, WhatWasNotSealedByThePeerIsToldAsChanged) {
  connect({.sealed = true});
  uint8_t frame[sizeof(FrameHead) + sizeof(SlotHeader) + seal::tag_bytes] = {};
  devices[1]->write(0, frame, sizeof frame, 0, 0);
  const auto loss = wait_for_loss();
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_TRUE(loss->changed);
  EXPECT_EQ(loss->reason, "what came from it was changed on the way, or was not encrypted by it");
  expect_good_peer();
}

TEST_F(VerbsTransportTest, NothingIsToBeSeenOfASealedMessage) {
  connect({.sealed = true});
  const char message[] = "a message that is not to be seen";
  std::vector<char> data(page_bytes, 'x');
  node[0]->send(1, Lane::Service, Channel::Runtime, message, sizeof message, data.data(), data.size());
  node[0]->flush();
  const std::string carried(reinterpret_cast<const char*>(devices[1]->ring_of(0)), 2 * page_bytes);
  EXPECT_EQ(carried.find("not to be seen"), std::string::npos);
  EXPECT_EQ(carried.find("xxxxxxxx"), std::string::npos);
  bool right = false;
  serve(*node[1], [&](uint32_t, const Slot& slot) {
    right = memcmp(slot.header.message, message, sizeof message) == 0 && slot.data[page_bytes - 1] == 'x';
  });
  EXPECT_TRUE(right);
}

TEST_F(VerbsTransportTest, WhatWasSentIsInTheOthersHandsBeforeAProcessEnds) {
  connect();
  std::atomic<bool> settled = false;
  std::thread program([&] {
    send_numbered(*node[0], 2, Lane::Anyone, 0);
    node[0]->settle();
    settled = true;
  });
  for (int waited_ms = 0; !settled && waited_ms < long_ms; ++waited_ms) {
    serve(*node[0]);
    usleep(1000);
  }
  program.join();
  node[0].reset();
  Checker checker;
  serve(*node[2], [&](uint32_t, const Slot& slot) { EXPECT_TRUE(checker.accept(slot)); });
  EXPECT_EQ(checker.arrived(Lane::Anyone), 1u);
}

// ---- nodes that cannot

TEST(VerbsOrTcp, WhereOneNodeCannotAllUseTcpAndKnowWhy) {
  for (const bool can : {true, false}) {
    const auto sockets = connect_by_loopback(2);
    VerbsOrTcp node[2];
    std::vector<std::thread> joining;
    for (uint32_t i = 0; i < 2; ++i)
      joining.emplace_back([&, i] {
        Transport::Place place{.node = i, .nodes = 2, .sockets = sockets[i]};
        if (can || i == 0)
          place.rdma = SimulatedRdma::plugin();
        else
          place.rdma_problem = "no RDMA device";
        node[i].join(place);
      });
    for (std::thread& thread : joining)
      thread.join();
    for (uint32_t i = 0; i < 2; ++i) {
      EXPECT_STREQ(node[i].chosen(), can ? "verbs" : "tcp");
      EXPECT_EQ(node[i].why_chosen(), can ? "" : "node 1: no RDMA device");
      send_numbered(node[i], 1 - i, Lane::Service, 0);
      node[i].flush();
    }
    for (uint32_t i = 0; i < 2; ++i) {
      Checker checker;
      ASSERT_TRUE(wait_for_messages(node[i]));
      node[i].receive([&](uint32_t, const Slot& slot) { EXPECT_TRUE(checker.accept(slot)); });
      EXPECT_EQ(checker.arrived(Lane::Service), 1u);
    }
  }
}

} // namespace
} // namespace hetmp::dsm
