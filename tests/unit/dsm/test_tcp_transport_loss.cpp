// Peers that end, fall silent or send garbage over TCP: each is lost once, with the reason, and nobody else is.
#include "tcp_fixture.hpp"

#include <thread>

namespace hetmp::dsm {
namespace {

TEST_F(TcpTransportTest, AClosedPeerIsLostOnceWithTheReason) {
  connect();
  EXPECT_FALSE(own.find_loss());
  close_bare();
  const auto loss = wait_for_loss(own);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason, "its connection was closed");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(own.receive([](uint32_t, const Slot&) { ADD_FAILURE() << "a message of nobody"; }), 0u);
    EXPECT_FALSE(own.find_loss()) << "told once";
  }
  EXPECT_FALSE(is_readable(own.doorbell(), 0)) << "a closed connection must not keep the service thread awake";
  expect_good_peer();
}

TEST_F(TcpTransportTest, OneClosedLaneIsEnough) {
  for (const size_t lane : {service, anyone}) {
    TcpTransport transport;
    auto sockets = connect_by_loopback(2);
    transport.connect(0, sockets[0], TcpTransport::Watch::Nobody);
    close(sockets[1][0][lane]);
    const auto loss = wait_for_loss(transport);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->node, 1u);
    EXPECT_FALSE(is_readable(transport.doorbell(), 0));
    close(sockets[1][0][1 - lane]);
  }
}

TEST_F(TcpTransportTest, AResetConnectionIsALossWithTheSystemsReason) {
  connect();
  const linger at_once{1, 0};
  setsockopt(bare[service], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(bare[service]);
  bare[service] = -1;
  const auto loss = wait_for_loss(own);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason, "Connection reset by peer");
}

TEST_F(TcpTransportTest, WhatWasSentBeforeTheEndArrivesBeforeTheLoss) {
  connect();
  // More than one receive() takes in, on one lane, while the other lane's end is there at once.
  const auto frame = frame_of(Channel::Runtime, 0, page_bytes);
  constexpr size_t count = 14; // fits between two sockets that nobody empties
  for (size_t i = 0; i < count; ++i)
    write_bare(anyone, frame.data(), frame.size());
  close_bare();
  ASSERT_TRUE(is_readable(own.doorbell(), long_ms));
  size_t messages = 0;
  const auto loss = wait_for_loss(own, &messages);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(messages, count);
}

TEST_F(TcpTransportTest, SendingToALostPeerIsHarmless) {
  connect();
  close_bare();
  ASSERT_TRUE(wait_for_loss(own));
  for (uint64_t i = 0; i < 2000; ++i)
    for (Lane lane : {Lane::Service, Lane::Anyone})
      send_numbered(own, 1, lane, i);
  EXPECT_FALSE(own.flush()) << "nothing may wait for a lost node";
  EXPECT_FALSE(own.find_loss());
  expect_good_peer();
}

TEST_F(TcpTransportTest, SendingToAPeerThatHasJustEndedIsHarmless) {
  connect();
  close_bare();
  for (uint64_t i = 0; i < 2000; ++i) { // nobody has noticed yet
    for (Lane lane : {Lane::Service, Lane::Anyone})
      send_numbered(own, 1, lane, i);
    own.flush();
  }
  ASSERT_TRUE(wait_for_loss(own));
  EXPECT_FALSE(own.flush());
}

TEST_F(TcpTransportTest, GarbageLosesThatPeerOnly) {
  for (const size_t lane : {service, anyone}) {
    TcpTransport fresh_own, fresh_good;
    auto sockets = connect_by_loopback(3);
    fresh_own.connect(0, sockets[0], TcpTransport::Watch::Nobody);
    fresh_good.connect(2, sockets[2], TcpTransport::Watch::Nobody);
    const std::vector<uint8_t> garbage(1000, 0xff);
    ASSERT_EQ(write(sockets[1][0][lane], garbage.data(), garbage.size()), ssize_t(garbage.size()));
    size_t messages = 0;
    const auto loss = wait_for_loss(fresh_own, &messages);
    ASSERT_TRUE(loss);
    EXPECT_EQ(messages, 0u);
    EXPECT_EQ(loss->node, 1u);
    EXPECT_EQ(loss->reason, "what came from it was changed on the way");
    // What comes later from there is not read, on either lane.
    const auto frame = frame_of(Channel::Runtime, 0, 8);
    for (const int socket : sockets[1][0])
      ::send(socket, frame.data(), frame.size(), MSG_NOSIGNAL); // refused or not
    EXPECT_EQ(fresh_own.receive([](uint32_t, const Slot&) {}), 0u);
    send_numbered(fresh_good, 0, Lane::Anyone, 0);
    ASSERT_TRUE(wait_for_messages(fresh_own));
    Checker checker;
    EXPECT_EQ(fresh_own.receive([&](uint32_t from, const Slot& slot) {
      EXPECT_EQ(from, 2u);
      EXPECT_TRUE(checker.accept(slot));
    }),
              1u);
    EXPECT_FALSE(fresh_own.find_loss());
    for (const int socket : sockets[1][0])
      close(socket);
  }
}

TEST_F(TcpTransportTest, MessagesBeforeGarbageAreGiven) {
  connect();
  auto stream = frame_of(Channel::Runtime, 8, 100);
  const auto second = frame_of(Channel::Page, 48, page_bytes);
  stream.insert(stream.end(), second.begin(), second.end());
  stream.insert(stream.end(), 64, 0xff);
  const auto third = frame_of(Channel::Page, 48, 0);
  stream.insert(stream.end(), third.begin(), third.end());
  write_bare(service, stream.data(), stream.size());
  size_t messages = 0;
  const auto loss = wait_for_loss(own, &messages);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->reason, "what came from it was changed on the way");
  EXPECT_EQ(messages, 2u);
}

TEST_F(TcpTransportTest, WhoWaitsForRoomOfANodeThatIsLostGoesOn) {
  connect();
  // Node 1 reads nothing, so this waits sooner or later; and then node 1 is lost with its connections still open.
  std::thread sender([this] {
    for (uint64_t i = 0; i < 20'000; ++i)
      send_numbered(own, 1, Lane::Anyone, i);
  });
  const std::vector<uint8_t> garbage(64, 0xff);
  write_bare(service, garbage.data(), garbage.size());
  EXPECT_TRUE(wait_for_loss(own));
  EXPECT_FALSE(own.find_loss()); // until then node 1 may hear something
  sender.join();                 // or the test hangs
}

TEST_F(TcpTransportTest, WhoHasSentWhatHasChangedStillHearsOneWord) {
  connect();
  const std::vector<uint8_t> garbage(64, 0xff);
  write_bare(service, garbage.data(), garbage.size());
  const auto loss = wait_for_loss(own);
  ASSERT_TRUE(loss);
  EXPECT_TRUE(loss->changed);
  send_numbered(own, 1, Lane::Service, 0);
  own.flush();
  SlotHeader header;
  ASSERT_EQ(recv(bare[service], &header, sizeof header, MSG_WAITALL), ssize_t(sizeof header));
  EXPECT_EQ(header.header_check, header_check(header));
  EXPECT_FALSE(own.find_loss());
  char byte;
  while (recv(bare[service], &byte, 1, 0) > 0) { // what else belongs to the message
  }
  EXPECT_EQ(recv(bare[service], &byte, 1, 0), 0) << "now it is over";
}

TEST_F(TcpTransportTest, AMessageThatDoesNotEndIsALoss) {
  for (const size_t cut : {size_t(1), sizeof(SlotHeader) - 1, sizeof(SlotHeader), size_t(500)}) {
    TcpTransport patient, impatient;
    constexpr int64_t moment = 50'000'000;
    impatient.set_patience(Transport::usual_patience_ns, moment);
    patient.set_patience(Transport::usual_patience_ns, TcpTransport::endless_patience);
    const auto frame = frame_of(Channel::Runtime, 0, 1000);
    for (TcpTransport* each : {&impatient, &patient}) {
      auto sockets = connect_by_loopback(2);
      each->connect(0, sockets[0], TcpTransport::Watch::Nobody);
      EXPECT_LT(each->longest_sleep_ns(), 0) << "nothing to wait for";
      ASSERT_EQ(::send(sockets[1][0][anyone], frame.data(), frame.size(), MSG_NOSIGNAL), ssize_t(frame.size()));
      ASSERT_EQ(::send(sockets[1][0][anyone], frame.data(), cut, MSG_NOSIGNAL), ssize_t(cut));
      std::optional<Transport::Loss> loss;
      size_t messages = 0;
      for (int i = 0; i < 100 && !loss; ++i) {
        messages += each->receive([](uint32_t, const Slot&) {});
        loss = each->find_loss();
        usleep(10'000);
      }
      EXPECT_EQ(messages, 1u);
      EXPECT_EQ(each->longest_sleep_ns() > 0, each == &patient) << "it looks now and then as long as there is a part";
      EXPECT_EQ(loss ? loss->reason.substr(0, 35) : "", each == &impatient ? "a message from it has not ended for" : "")
          << cut;
      for (const int socket : sockets[1][0])
        close(socket);
    }
  }
}

TEST_F(TcpTransportTest, APeerThatFallsSilentIsLostAndOneThatHasYetToSpeakIsNot) {
  connect(true); // node 2 does not speak at all here: it might still be loading
  const auto sign = frame_of(Channel::Control, 0, 0);
  write_bare(service, sign.data(), sign.size());
  std::optional<Transport::Loss> loss;
  while (!loss) {
    own.receive([](uint32_t, const Slot&) {});
    loss = own.find_loss();
    own.flush();
    is_readable(own.doorbell(), 100);
  }
  EXPECT_EQ(loss->node, 1u);
  EXPECT_EQ(loss->reason.find("nothing came from it for "), 0u) << loss->reason;
  EXPECT_FALSE(own.find_loss());
}

TEST_F(TcpTransportTest, ASilentPeerIsNotLostToWhoHasEndlessPatience) {
  own.set_patience(TcpTransport::endless_patience, TcpTransport::endless_patience);
  connect(true);
  const auto sign = frame_of(Channel::Control, 0, 0);
  write_bare(service, sign.data(), sign.size());
  ASSERT_TRUE(is_readable(own.doorbell(), long_ms));
  // Long enough for the usual patience, which a second node without it shows.
  TcpTransport usual;
  auto sockets = connect_by_loopback(2);
  usual.connect(0, sockets[0], TcpTransport::Watch::Silence);
  ASSERT_EQ(::send(sockets[1][0][service], sign.data(), sign.size(), MSG_NOSIGNAL), ssize_t(sign.size()));
  std::optional<Transport::Loss> loss;
  while (!loss) {
    for (TcpTransport* each : {&own, &usual}) {
      each->receive([](uint32_t, const Slot&) {});
      if (const auto found = each->find_loss()) {
        ASSERT_EQ(each, &usual) << found->reason;
        loss = found;
      }
      each->flush();
    }
    usleep(20'000);
  }
  EXPECT_FALSE(own.find_loss());
  EXPECT_GT(own.longest_sleep_ns(), 0) << "it still gives signs of life";
  for (const int socket : sockets[1][0])
    close(socket);
}

} // namespace
} // namespace hetmp::dsm
