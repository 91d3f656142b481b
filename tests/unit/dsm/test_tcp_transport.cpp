// The TCP transport alone: lanes that do not hold each other up, many senders, signs of life. (What it promises as a
// transport: test_transport.cpp.)
#include "tcp_fixture.hpp"

#include <csignal>
#include <cstddef>
#include <span>
#include <sys/mman.h>
#include <thread>

namespace hetmp::dsm {
namespace {

TEST_F(TcpTransportTest, AMessageInSingleBytesIsOneMessage) {
  connect();
  const auto frame = frame_of(Channel::Runtime, 8, 13);
  size_t messages = 0;
  const auto count = [&](uint32_t from, const Slot& slot) {
    EXPECT_EQ(from, 1u);
    EXPECT_EQ(slot.header.data_bytes, 13u);
    ++messages;
  };
  for (size_t i = 0; i < frame.size(); ++i) {
    EXPECT_EQ(messages, 0u);
    write_bare(service, &frame[i], 1);
    ASSERT_TRUE(is_readable(own.doorbell(), long_ms));
    own.receive(count);
  }
  EXPECT_EQ(messages, 1u);
}

TEST_F(TcpTransportTest, AFullServiceLaneDoesNotHoldUpTheOther) {
  connect();
  const std::vector<uint8_t> page(page_bytes, 7);
  for (size_t bytes = 0; bytes < size_t(64) << 20; bytes += page.size()) // more than any socket's buffers take
    own.send(1, Lane::Service, Channel::Page, nullptr, 0, page.data(), page.size());
  EXPECT_TRUE(own.flush());
  send_numbered(own, 1, Lane::Anyone, 77);
  std::vector<uint8_t> frame(frame_bytes(77 * 331 % (page_bytes + 1)));
  ASSERT_EQ(recv(bare[anyone], frame.data(), frame.size(), MSG_WAITALL), ssize_t(frame.size()));
  Numbered message;
  memcpy(&message, frame.data() + offsetof(SlotHeader, message), sizeof message);
  EXPECT_EQ(message.number, 77u);
  EXPECT_TRUE(own.flush()) << "the service lane is still full";
  expect_good_peer();
}

/// Each thread's messages in order, and every one whole.
TEST_F(TcpTransportTest, ManyThreadsOnTheAnyoneLane) {
  connect();
  constexpr uint32_t threads = 8;
  constexpr uint64_t count = 1000;
  struct Tag {
    uint32_t thread, bytes;
    uint64_t number;
  };
  std::vector<std::thread> senders;
  for (uint32_t thread = 0; thread < threads; ++thread)
    senders.emplace_back([this, thread] {
      std::vector<uint8_t> data(page_bytes);
      for (uint64_t i = 0; i < count; ++i) {
        const Tag tag{thread, uint32_t((thread * 77 + i * 331) % (page_bytes + 1)), i};
        for (size_t k = 0; k < tag.bytes; ++k)
          data[k] = content(i + thread, k);
        good.send(0, Lane::Anyone, Channel::Runtime, &tag, sizeof tag, data.data(), tag.bytes);
      }
    });
  uint64_t next[threads] = {};
  bool right = true;
  uint64_t got = 0;
  while (got < threads * count) {
    const size_t more = own.receive([&](uint32_t from, const Slot& slot) {
      Tag tag;
      memcpy(&tag, slot.header.message, sizeof tag);
      right &= from == 2 && slot.header.header_bytes == sizeof tag && tag.thread < threads &&
               slot.header.data_bytes == tag.bytes && tag.number == next[tag.thread % threads]++;
      for (size_t k = 0; right && k < tag.bytes; ++k)
        right = slot.data[k] == content(tag.number + tag.thread, k);
    });
    got += more;
    if (more == 0 && !wait_for_messages(own))
      break;
  }
  EXPECT_EQ(got, threads * count);
  EXPECT_TRUE(right);
  for (std::thread& sender : senders)
    sender.join();
}

TEST_F(TcpTransportTest, SignsOfLifeAreSentAndAreNoMessages) {
  connect(true);
  EXPECT_GT(own.longest_sleep_ns(), 0);
  EXPECT_FALSE(own.find_loss());
  own.flush();
  uint8_t frame[64];
  ASSERT_EQ(recv(bare[service], frame, sizeof frame, MSG_WAITALL), ssize_t(sizeof frame));
  SlotHeader header;
  memcpy(&header, frame, sizeof header);
  EXPECT_EQ(header.channel, Channel::Control);
  EXPECT_EQ(header.header_bytes, 0u);
  EXPECT_EQ(header.data_bytes, 0u);
  ASSERT_TRUE(is_readable(good.doorbell(), long_ms));
  EXPECT_EQ(good.receive([](uint32_t, const Slot&) { ADD_FAILURE() << "handed on"; }), 0u);
}

TEST_F(TcpTransportTest, WithoutWatchingNothingIsSentUnasked) {
  connect(false);
  EXPECT_LT(own.longest_sleep_ns(), 0);
  EXPECT_FALSE(own.find_loss());
  own.flush();
  EXPECT_FALSE(is_readable(bare[service], 0));
}

// A page that another node has taken cannot always be read by the kernel, but always by the thread itself, whose fault
// is then served. Here such a fault is a signal.
uint8_t* guarded;
volatile sig_atomic_t faults;

void serve_fault(int) {
  faults = faults + 1;
  mprotect(guarded, 2 * page_bytes, PROT_READ | PROT_WRITE);
}

TEST_F(TcpTransportTest, WhatTheKernelCannotReadIsSentAllTheSame) {
  connect();
  guarded =
      static_cast<uint8_t*>(mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(guarded, MAP_FAILED);
  memset(guarded, 0x3c, 2 * page_bytes);
  mprotect(guarded, 2 * page_bytes, PROT_NONE);
  struct sigaction serving {
  }, before{};
  serving.sa_handler = serve_fault;
  sigaction(SIGSEGV, &serving, &before);
  own.send(2, Lane::Anyone, Channel::Runtime, nullptr, 0, guarded + page_bytes / 2, page_bytes);
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_GE(faults, 1);
  ASSERT_TRUE(wait_for_messages(good));
  size_t messages = 0;
  while (messages == 0) {
    messages += good.receive([&](uint32_t, const Slot& slot) {
      ASSERT_EQ(slot.header.data_bytes, page_bytes);
      for (const uint8_t byte : std::span(slot.data, page_bytes))
        ASSERT_EQ(byte, 0x3c);
    });
    ASSERT_TRUE(messages != 0 || wait_for_messages(good));
  }
  munmap(guarded, 2 * page_bytes);
}

TEST(Loopback, EachSocketLeadsToItsCounterpart) {
  constexpr uint32_t nodes = 5;
  const auto sockets = connect_by_loopback(nodes);
  ASSERT_EQ(sockets.size(), nodes);
  for (uint32_t i = 0; i < nodes; ++i)
    for (uint32_t j = 0; j < nodes; ++j)
      for (uint32_t lane = 0; lane < 2; ++lane) {
        if (i == j) {
          EXPECT_EQ(sockets[i][j][lane], -1);
          continue;
        }
        const uint32_t sent[3] = {i, j, lane};
        uint32_t got[3] = {};
        ASSERT_EQ(write(sockets[i][j][lane], sent, sizeof sent), ssize_t(sizeof sent));
        ASSERT_EQ(recv(sockets[j][i][lane], got, sizeof got, MSG_WAITALL), ssize_t(sizeof got));
        EXPECT_EQ(memcmp(sent, got, sizeof got), 0);
      }
  for (const auto& row : sockets)
    for (const SocketPair& pair : row)
      for (const int socket : pair)
        if (socket >= 0)
          close(socket);
}

} // namespace
} // namespace hetmp::dsm
