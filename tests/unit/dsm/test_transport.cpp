// What every transport promises: all messages arrive, in order, whole, however much is under way; sleepers are woken.
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/shared_memory_transport.hpp"
#include "dsm/transport/tcp_transport.hpp"
#include "numbered_messages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Two nodes in one process: the test takes the part of each in turn.
class Pair {
 public:
  virtual ~Pair() = default;
  virtual Transport& as(uint32_t node) = 0;
  /// Runs `sends` of lane Anyone, which may have to wait for the receiver; the test receives and then calls finish().
  virtual void begin(std::function<void()> sends) = 0;
  virtual void finish() = 0;
};

class SharedMemoryPair final : public Pair {
 public:
  SharedMemoryPair() { transport_.create(2); }
  Transport& as(uint32_t node) override {
    transport_.become(node);
    return transport_;
  }
  void begin(std::function<void()> sends) override { sends(); } // whoever sends never waits
  void finish() override {}

 private:
  SharedMemoryTransport transport_;
};

class TcpPair final : public Pair {
 public:
  TcpPair() {
    const auto sockets = connect_by_loopback(2);
    for (uint32_t node = 0; node < 2; ++node)
      transport_[node].connect(node, sockets[node], TcpTransport::Watch::Nobody);
  }
  ~TcpPair() override { finish(); }
  Transport& as(uint32_t node) override { return transport_[node]; }
  void begin(std::function<void()> sends) override { sender_ = std::thread(std::move(sends)); }
  void finish() override {
    if (sender_.joinable())
      sender_.join();
  }

 private:
  TcpTransport transport_[2];
  std::thread sender_;
};

struct Kind {
  const char* name;
  std::unique_ptr<Pair> (*make)();
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class TransportTest : public testing::TestWithParam<Kind> {
 protected:
  TransportTest() : pair(GetParam().make()) {}
  std::unique_ptr<Pair> pair;
};

INSTANTIATE_TEST_SUITE_P(Each, TransportTest,
                         testing::Values(Kind{"SharedMemory",
                                              [] { return std::unique_ptr<Pair>(new SharedMemoryPair); }},
                                         Kind{"Tcp", [] { return std::unique_ptr<Pair>(new TcpPair); }}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Until both lanes from node 0 to node 1 have brought so much. False if something is wrong or nothing more comes.
bool receive_until(Pair& pair, Checker& checker, uint64_t service, uint64_t anyone) {
  bool right = true;
  while (right && (checker.arrived(Lane::Service) < service || checker.arrived(Lane::Anyone) < anyone)) {
    const bool more = pair.as(0).flush();
    Transport& receiver = pair.as(1);
    const size_t got =
        receiver.receive([&](uint32_t from, const Slot& slot) { right &= from == 0 && checker.accept(slot); });
    if (got == 0 && !more)
      right &= wait_for_messages(receiver);
  }
  return right;
}

TEST_P(TransportTest, OrderIsKeptAndNothingIsLostBeyondTheRing) {
  for (uint64_t count : {uint64_t(1), Ring::slots - 1, Ring::slots, Ring::slots + 1, 10 * Ring::slots + 3}) {
    const std::unique_ptr<Pair> fresh = GetParam().make();
    Transport& sender = fresh->as(0);
    for (uint64_t i = 0; i < count; ++i)
      send_numbered(sender, 1, Lane::Service, i);
    fresh->begin([&] {
      for (uint64_t i = 0; i < count; ++i)
        send_numbered(sender, 1, Lane::Anyone, i);
    });
    Checker checker;
    EXPECT_TRUE(receive_until(*fresh, checker, count, count));
    fresh->finish();
    EXPECT_EQ(checker.arrived(Lane::Service), count);
    EXPECT_EQ(checker.arrived(Lane::Anyone), count);
    EXPECT_FALSE(fresh->as(0).flush()) << "nothing may be left";
    EXPECT_EQ(fresh->as(1).receive([](uint32_t, const Slot&) {}), 0u) << "nothing may come twice";
  }
}

TEST_P(TransportTest, RandomInterleavingOfSendingFlushingAndReceiving) {
  std::mt19937 random(5);
  Checker checker;
  uint64_t sent[2] = {};
  for (int step = 0; step < 5000; ++step) {
    if (const uint32_t action = random() % 8; action < 5) {
      const Lane lane = Lane(random() % 2);
      send_numbered(pair->as(0), 1, lane, sent[size_t(lane)]++);
    } else if (action < 7) {
      pair->as(1).receive([&](uint32_t, const Slot& slot) { ASSERT_TRUE(checker.accept(slot)); });
    } else {
      pair->as(0).flush();
    }
  }
  EXPECT_TRUE(receive_until(*pair, checker, sent[0], sent[1]));
  EXPECT_FALSE(pair->as(0).flush());
  EXPECT_EQ(checker.arrived(Lane::Service), sent[0]);
  EXPECT_EQ(checker.arrived(Lane::Anyone), sent[1]);
}

TEST_P(TransportTest, ANodeMayWriteToItself) {
  Transport& transport = pair->as(0);
  Checker checker;
  for (Lane lane : {Lane::Anyone, Lane::Service})
    send_numbered(transport, 0, lane, 0);
  transport.flush();
  while (checker.arrived(Lane::Service) + checker.arrived(Lane::Anyone) < 2) {
    const size_t got = transport.receive([&](uint32_t from, const Slot& slot) {
      EXPECT_EQ(from, 0u);
      EXPECT_TRUE(checker.accept(slot));
    });
    ASSERT_TRUE(got != 0 || wait_for_messages(transport));
  }
}

TEST_P(TransportTest, WhoHasMailDoesNotSleep) {
  EXPECT_FALSE(wait_for_messages(pair->as(1), 0));
  send_numbered(pair->as(0), 1, Lane::Service, 0);
  pair->as(0).flush();
  EXPECT_TRUE(wait_for_messages(pair->as(1)));
}

TEST_P(TransportTest, WhoSleepsIsWoken) {
  for (Lane lane : {Lane::Service, Lane::Anyone}) {
    Transport& sleeper = pair->as(1);
    ASSERT_TRUE(sleeper.prepare_sleep());
    const int doorbell = sleeper.doorbell();
    send_numbered(pair->as(0), 1, lane, 0);
    pair->as(0).flush();
    EXPECT_TRUE(is_readable(doorbell, long_ms));
    pair->as(1).awake(true);
    while (pair->as(1).receive([](uint32_t, const Slot&) {}) == 0)
      ASSERT_TRUE(wait_for_messages(pair->as(1)));
    EXPECT_FALSE(is_readable(doorbell, 0)) << "heard once";
  }
}

TEST_P(TransportTest, NobodyIsLostWhileAllAreThere) {
  send_numbered(pair->as(0), 1, Lane::Anyone, 0);
  Checker checker;
  ASSERT_TRUE(receive_until(*pair, checker, 0, 1));
  for (uint32_t node : {0u, 1u})
    EXPECT_FALSE(pair->as(node).find_loss());
}

TEST_P(TransportTest, ThereIsRoomAgainWhenTheReceiverHasTakenWhatWasSent) {
  for (int round = 0; round < 3; ++round) {
    uint64_t sent = 0;
    for (; pair->as(0).has_room(1); ++sent) {
      ASSERT_LT(sent, 100'000u) << "room without end";
      send_numbered(pair->as(0), 1, Lane::Service, sent);
    }
    EXPECT_GT(sent, 0u);
    Checker checker;
    EXPECT_TRUE(receive_until(*pair, checker, sent, 0));
    EXPECT_FALSE(pair->as(0).flush());
    EXPECT_TRUE(pair->as(0).has_room(1));
  }
}

TEST(SharedMemoryTransportTest, WhoFoundNoRoomHearsOfIt) {
  SharedMemoryPair pair;
  uint64_t sent = 0;
  for (; pair.as(0).has_room(1); ++sent)
    send_numbered(pair.as(0), 1, Lane::Service, sent);
  const int doorbell = pair.as(0).doorbell();
  EXPECT_FALSE(is_readable(doorbell, 0));
  Checker checker;
  EXPECT_TRUE(receive_until(pair, checker, sent, 0));
  EXPECT_TRUE(is_readable(doorbell, 0)) << "although node 0 had not announced sleep yet";
}

TEST(SharedMemoryTransportTest, TheDoorbellRingsForSleepersOnly) {
  SharedMemoryPair pair;
  const int doorbell = pair.as(1).doorbell();
  send_numbered(pair.as(0), 1, Lane::Service, 0);
  EXPECT_FALSE(is_readable(doorbell, 0)) << "node 1 had not announced sleep";
  EXPECT_FALSE(pair.as(1).prepare_sleep()) << "it has mail";
}

/// A node's service thread in miniature, while another thread of the node asks: receives until both sides' counts are
/// complete, sleeps when there is nothing. Each message is answered by one of the same number on the service lane.
bool serve(Transport& transport, uint32_t own, uint64_t count) {
  Checker checker;
  const uint32_t peer = 1 - own;
  const Lane asks = Lane::Anyone, answers = Lane::Service;
  std::thread program([&] {
    for (uint64_t asked = 0; asked < count; ++asked)
      send_numbered(transport, peer, asks, asked);
  });
  bool right = true;
  while (right && (checker.arrived(asks) < count || checker.arrived(answers) < count || transport.flush())) {
    const uint64_t before = checker.arrived(asks);
    const size_t received =
        transport.receive([&](uint32_t from, const Slot& slot) { right &= from == peer && checker.accept(slot); });
    for (uint64_t number = before; number < checker.arrived(asks); ++number)
      send_numbered(transport, peer, answers, number);
    const bool more = transport.flush();
    if (received == 0) {
      const bool rang = wait_for_messages(transport, more ? 1 : long_ms);
      right &= rang || more; // a wake-up that never comes ends the test, not the patience of whoever runs it
    }
  }
  program.join();
  return right;
}

TEST_P(TransportTest, TwoProcessesAskAndAnswer) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer does not follow a forked process";
#endif
  constexpr uint64_t count = 20'000;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    _exit(serve(pair->as(1), 1, count) ? 0 : 1);
  EXPECT_TRUE(serve(pair->as(0), 0, count));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace hetmp::dsm
