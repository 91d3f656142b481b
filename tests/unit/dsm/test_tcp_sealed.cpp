// The TCP transport with sealed connections: it carries what it carries otherwise, nothing of that is to be seen on the
// way, and a peer whose records do not verify is lost.
#include "base/seal/sodium_cipher.hpp"
#include "tcp_fixture.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace hetmp::dsm {
namespace {

using Bytes = std::vector<uint8_t>;

/// Nodes 0 (tested) and 2 (a good peer) as in the fixture, node 1 a pair of bare sockets whose keys the test has.
class TcpSealed : public TcpTransportTest {
 protected:
  void connect(bool watch_silence = false) {
    TcpTransportTest::connect(watch_silence);
    cipher = seal::sodium_cipher();
    ASSERT_NE(cipher, nullptr);
    own.seal_with(*cipher, keys[0]);
    good.seal_with(*cipher, keys[2]);
  }
  /// As node 1 seals it.
  Bytes sealed(size_t lane, const Bytes& plain) {
    seal::RecordWriter writer(*cipher, keys[1][0][lane].send);
    Bytes records;
    writer.seal(plain.data(), plain.size(), records);
    return records;
  }
  Bytes read_bare(size_t lane, size_t count) {
    Bytes bytes(count);
    EXPECT_EQ(recv(bare[lane], bytes.data(), count, MSG_WAITALL), ssize_t(count));
    return bytes;
  }
  void expect_changed(size_t messages_before) {
    size_t messages = 0;
    const auto loss = wait_for_loss(own, &messages);
    ASSERT_TRUE(loss);
    EXPECT_EQ(loss->node, 1u);
    EXPECT_NE(loss->reason.find("changed on the way"), std::string::npos) << loss->reason;
    EXPECT_EQ(messages, messages_before);
    expect_good_peer();
  }

  const seal::Cipher* cipher = nullptr;
  const std::vector<ConnectionKeys> keys = make_keys(3);
};

TEST_F(TcpSealed, NodesUnderstandEachOther) {
  connect();
  expect_good_peer();
}

TEST_F(TcpSealed, ManyMessagesOfEverySizeOnBothLanes) {
  connect();
  constexpr uint64_t count = 5000;
  std::thread other([this] {
    for (uint64_t i = 0; i < count; ++i)
      send_numbered(good, 0, Lane::Anyone, i);
  });
  Checker checker;
  bool right = true;
  uint64_t sent = 0;
  while (checker.arrived(Lane::Anyone) < count || checker.arrived(Lane::Service) < count) {
    for (int i = 0; i < 100 && sent < count; ++i)
      send_numbered(good, 0, Lane::Service, sent++);
    const bool left = good.flush();
    const size_t got =
        own.receive([&](uint32_t from, const Slot& slot) { right &= from == 2 && checker.accept(slot); });
    ASSERT_TRUE(right);
    ASSERT_TRUE(got != 0 || left || sent < count || wait_for_messages(own));
  }
  other.join();
}

TEST_F(TcpSealed, NothingIsToBeSeenOnTheWay) {
  connect();
  const std::string marker = "do not read this, nor send it on";
  Bytes page(page_bytes);
  for (size_t i = 0; i < page.size(); ++i)
    page[i] = uint8_t(marker[i % marker.size()]);
  for (const Lane lane : {Lane::Service, Lane::Anyone}) {
    own.send(1, lane, Channel::Page, marker.data(), marker.size(), page.data(), page.size());
    own.flush();
    const Bytes wire = read_bare(size_t(lane), seal::record_bytes(frame_bytes(page_bytes)));
    EXPECT_EQ(std::search(wire.begin(), wire.end(), marker.begin(), marker.begin() + 8), wire.end());
    seal::RecordReader reader(*cipher, keys[1][0][size_t(lane)].receive);
    std::copy(wire.begin(), wire.end(), reader.room());
    reader.filled(wire.size());
    Bytes plain(seal::most_plain_bytes);
    ASSERT_EQ(reader.next(plain.data()), frame_bytes(page_bytes));
    EXPECT_TRUE(std::equal(page.begin(), page.end(), plain.begin() + sizeof(SlotHeader)));
  }
}

TEST_F(TcpSealed, WhatIsGatheredIsOneRecord) {
  connect();
  constexpr size_t messages = 12;
  const Bytes page(page_bytes, 9);
  for (size_t i = 0; i < messages; ++i)
    own.send(1, Lane::Service, Channel::Page, nullptr, 0, page.data(), page.size());
  own.flush();
  const Bytes wire = read_bare(service, seal::record_bytes(messages * frame_bytes(page_bytes)));
  EXPECT_EQ(wire[0] | wire[1] << 8 | wire[2] << 16, int(messages * frame_bytes(page_bytes)));
}

TEST_F(TcpSealed, AFullLaneLosesNothing) {
  connect();
  constexpr uint64_t count = 20000; // more than any socket's buffers take
  for (uint64_t i = 0; i < count; ++i)
    send_numbered(good, 0, Lane::Service, i);
  EXPECT_TRUE(good.flush());
  Checker checker;
  bool right = true;
  while (checker.arrived(Lane::Service) < count) {
    const bool left = good.flush();
    const size_t got = own.receive([&](uint32_t, const Slot& slot) { right &= checker.accept(slot); });
    ASSERT_TRUE(right);
    ASSERT_TRUE(got != 0 || left || wait_for_messages(own));
  }
  EXPECT_FALSE(good.flush());
}

TEST_F(TcpSealed, ARecordInSingleBytesIsOneMessage) {
  connect();
  const Bytes wire = sealed(anyone, frame_of(Channel::Runtime, 8, 13));
  size_t messages = 0;
  for (const uint8_t& byte : wire) {
    EXPECT_EQ(messages, 0u);
    write_bare(anyone, &byte, 1);
    ASSERT_TRUE(is_readable(own.doorbell(), long_ms));
    messages += own.receive([](uint32_t from, const Slot& slot) {
      EXPECT_EQ(from, 1u);
      EXPECT_EQ(slot.header.data_bytes, 13u);
    });
  }
  EXPECT_EQ(messages, 1u);
}

TEST_F(TcpSealed, APeerThatDoesNotSealIsLost) {
  connect();
  const auto frame = frame_of(Channel::Runtime, 8, 100);
  write_bare(service, frame.data(), frame.size());
  write_bare(service, Bytes(2 * seal::largest_record).data(), 2 * seal::largest_record);
  expect_changed(0);
}

TEST_F(TcpSealed, AChangedRecordLosesThePeerAndWhatCameBeforeIsGiven) {
  connect();
  seal::RecordWriter writer(*cipher, keys[1][0][service].send);
  const auto frame = frame_of(Channel::Runtime, 8, 100);
  Bytes records;
  writer.seal(frame.data(), frame.size(), records);
  writer.seal(frame.data(), frame.size(), records);
  records[records.size() - 20] ^= 4;
  writer.seal(frame.data(), frame.size(), records);
  write_bare(service, records.data(), records.size());
  expect_changed(1);
}

TEST_F(TcpSealed, ARepeatedRecordLosesThePeer) {
  connect();
  const Bytes wire = sealed(anyone, frame_of(Channel::Runtime, 8, 100));
  write_bare(anyone, wire.data(), wire.size());
  write_bare(anyone, wire.data(), wire.size());
  expect_changed(1);
}

TEST_F(TcpSealed, ARecordOfTheOtherLaneLosesThePeer) {
  connect();
  const Bytes wire = sealed(anyone, frame_of(Channel::Runtime, 8, 100));
  write_bare(service, wire.data(), wire.size());
  expect_changed(0);
}

TEST_F(TcpSealed, WhatANodeHasSentItselfIsNotTakenBack) {
  connect();
  send_numbered(own, 1, Lane::Anyone, 3);
  const Bytes wire = read_bare(anyone, seal::record_bytes(frame_bytes(3 * 331)));
  write_bare(anyone, wire.data(), wire.size());
  expect_changed(0);
}

TEST_F(TcpSealed, ASealedFrameThatIsNoneLosesThePeer) {
  connect();
  const Bytes wire = sealed(service, Bytes(64, 0xff));
  write_bare(service, wire.data(), wire.size());
  const auto loss = wait_for_loss(own);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->reason, "it sent what is no message");
  expect_good_peer();
}

} // namespace
} // namespace hetmp::dsm
