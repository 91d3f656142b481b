// Messages between node processes: all arrive, in order, whole, however full the rings are; sleepers are
// woken.
#include "dsm/node/shared_memory_transport.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <poll.h>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

using Lane = SharedMemoryTransport::Lane;

struct Numbered {
  uint32_t lane;
  uint32_t bytes;
  uint64_t number;
};

uint8_t content(uint64_t number, size_t index) {
  return uint8_t(number * 13 + index);
}

/// Sends message `number` of a lane, with data whose length and content follow from the number.
void send_numbered(SharedMemoryTransport& transport, uint32_t to, Lane lane, uint64_t number) {
  const Numbered message{uint32_t(lane), uint32_t(number * 331 % (page_bytes + 1)), number};
  uint8_t data[page_bytes];
  for (size_t i = 0; i < message.bytes; ++i)
    data[i] = content(number, i);
  transport.send(to, lane, Channel::Runtime, &message, sizeof message, data, message.bytes);
}

/// Checks that each lane's messages come in the order of their numbers.
class Checker {
 public:
  bool accept(const Slot& slot) {
    Numbered message;
    memcpy(&message, slot.header.message, sizeof message);
    bool right = slot.header.channel == Channel::Runtime && slot.header.header_bytes == sizeof message &&
                 slot.header.data_bytes == message.bytes && message.lane < 2 &&
                 message.number == next_[message.lane];
    for (size_t i = 0; right && i < message.bytes; ++i)
      right = slot.data[i] == content(message.number, i);
    if (right)
      next_[message.lane]++;
    return right;
  }
  uint64_t arrived(Lane lane) const { return next_[size_t(lane)]; }

 private:
  uint64_t next_[2] = {};
};

/// Two nodes in one process: the test takes the part of each in turn.
class TransportTest : public testing::Test {
 protected:
  void SetUp() override {
    transport.create(2);
    transport.become(0);
  }
  SharedMemoryTransport transport;
};

TEST_F(TransportTest, OrderIsKeptAndNothingIsLostBeyondTheRing) {
  for (uint64_t count : {uint64_t(1), Ring::slots - 1, Ring::slots, Ring::slots + 1, 10 * Ring::slots + 3}) {
    SharedMemoryTransport fresh;
    fresh.create(2);
    fresh.become(0);
    for (uint64_t i = 0; i < count; ++i)
      for (Lane lane : {Lane::Service, Lane::Anyone})
        send_numbered(fresh, 1, lane, i);
    Checker checker;
    for (uint64_t round = 0; round < count + 10; ++round) {
      fresh.become(1);
      fresh.receive([&](uint32_t from, const Slot& slot) {
        EXPECT_EQ(from, 0u);
        EXPECT_TRUE(checker.accept(slot));
      });
      fresh.become(0);
      fresh.flush();
    }
    EXPECT_EQ(checker.arrived(Lane::Service), count);
    EXPECT_EQ(checker.arrived(Lane::Anyone), count);
    EXPECT_FALSE(fresh.flush()) << "nothing may be left";
  }
}

TEST_F(TransportTest, RandomInterleavingOfSendingFlushingAndReceiving) {
  std::mt19937 random(5);
  Checker checker;
  uint64_t sent[2] = {};
  for (int step = 0; step < 5000; ++step) {
    transport.become(0);
    if (const uint32_t action = random() % 8; action < 5) {
      const Lane lane = Lane(random() % 2);
      send_numbered(transport, 1, lane, sent[size_t(lane)]++);
    } else if (action < 7) {
      transport.become(1);
      transport.receive([&](uint32_t, const Slot& slot) { ASSERT_TRUE(checker.accept(slot)); });
    } else {
      transport.flush();
    }
  }
  do {
    transport.become(1);
    transport.receive([&](uint32_t, const Slot& slot) { ASSERT_TRUE(checker.accept(slot)); });
    transport.become(0);
  } while (transport.flush());
  transport.become(1);
  transport.receive([&](uint32_t, const Slot& slot) { ASSERT_TRUE(checker.accept(slot)); });
  EXPECT_EQ(checker.arrived(Lane::Service), sent[0]);
  EXPECT_EQ(checker.arrived(Lane::Anyone), sent[1]);
}

TEST_F(TransportTest, ANodeMayWriteToItself) {
  send_numbered(transport, 0, Lane::Anyone, 0);
  Checker checker;
  EXPECT_EQ(transport.receive([&](uint32_t from, const Slot& slot) {
    EXPECT_EQ(from, 0u);
    EXPECT_TRUE(checker.accept(slot));
  }),
            1u);
}

TEST_F(TransportTest, WhoHasMailDoesNotSleep) {
  transport.become(1);
  EXPECT_TRUE(transport.prepare_sleep());
  transport.awake(false);
  transport.become(0);
  send_numbered(transport, 1, Lane::Service, 0);
  transport.become(1);
  EXPECT_FALSE(transport.prepare_sleep());
}

bool rings(int doorbell, int milliseconds) {
  pollfd descriptor{doorbell, POLLIN, 0};
  return poll(&descriptor, 1, milliseconds) == 1;
}

TEST_F(TransportTest, TheDoorbellRingsForSleepersOnly) {
  transport.become(1);
  const int doorbell = transport.doorbell();
  transport.become(0);
  send_numbered(transport, 1, Lane::Service, 0);
  EXPECT_FALSE(rings(doorbell, 0)) << "node 1 had not announced sleep";
  transport.become(1);
  transport.receive([](uint32_t, const Slot&) {});
  ASSERT_TRUE(transport.prepare_sleep());
  transport.become(0);
  send_numbered(transport, 1, Lane::Service, 1);
  EXPECT_TRUE(rings(doorbell, 0));
  transport.become(1);
  transport.awake(true);
  EXPECT_FALSE(rings(doorbell, 0)) << "heard once";
}

/// A node's service thread in miniature: receives until both sides' counts are complete, sleeps when there is
/// nothing. Each message is answered by one of the same number on the service lane, so both rings fill up.
bool serve(SharedMemoryTransport& transport, uint32_t own, uint64_t count) {
  Checker checker;
  const uint32_t peer = 1 - own;
  const Lane asks = Lane::Anyone, answers = Lane::Service;
  uint64_t asked = 0;
  bool right = true;
  while (right && (checker.arrived(asks) < count || checker.arrived(answers) < count || transport.flush())) {
    const uint64_t before = checker.arrived(asks);
    for (int burst = 0; burst < 40 && asked < count; ++burst)
      send_numbered(transport, peer, asks, asked++);
    const size_t received = transport.receive(
        [&](uint32_t from, const Slot& slot) { right &= from == peer && checker.accept(slot); });
    for (uint64_t number = before; number < checker.arrived(asks); ++number)
      send_numbered(transport, peer, answers, number);
    const bool more = transport.flush() || asked < count;
    if (received == 0 && transport.prepare_sleep()) {
      const bool rang = rings(transport.doorbell(), more ? 1 : 30'000);
      transport.awake(rang);
      right &= rang || more; // a wake-up that never comes ends the test, not the patience of whoever runs it
    }
  }
  return right;
}

TEST_F(TransportTest, TwoProcessesAskAndAnswer) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer does not follow a forked process";
#endif
  constexpr uint64_t count = 20'000;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    transport.become(1);
    _exit(serve(transport, 1, count) ? 0 : 1);
  }
  transport.become(0);
  EXPECT_TRUE(serve(transport, 0, count));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace hetmp::dsm
