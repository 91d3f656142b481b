// What every transport promises: all messages arrive, in order, whole, however much is under way; sleepers are woken.
#include "dsm/rdma_plugin.hpp"
#include "dsm/transport/loopback.hpp"
#include "dsm/transport/rdma/make_transport.hpp"
#include "dsm/transport/rdma/verbs_or_tcp.hpp"
#include "dsm/transport/rdma/verbs_transport.hpp"
#include "dsm/transport/shared_memory_transport.hpp"
#include "dsm/transport/tcp_transport.hpp"
#include "loopback_transport.hpp"
#include "numbered_messages.hpp"
#include "simulated_rdma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hetmp::dsm {

// For GoogleTest, which looks for it where the type is.
static void PrintTo(const TransportDescriptor& descriptor, std::ostream* out) { *out << descriptor.kind.name; }

namespace {

/// The table and one line more: what this file tests is tested of each.
constexpr auto table =
    std::tuple_cat(transport_table, std::tuple{TransportEntry<LoopbackTransport>{{"loopback", true, false, false}}});
constexpr auto all_transports = describe_transports(table);

/// The real one where a test run names it (tests/rdma), else what plays its part.
const RdmaPlugin* rdma_plugin() {
  const char* const file = getenv("HETMP_TEST_RDMA");
  if (!file)
    return SimulatedRdma::plugin();
  static const RdmaPlugin* const plugin = [file] {
    void* const library = dlopen(file, RTLD_NOW);
    const auto entry =
        library ? reinterpret_cast<const RdmaPlugin* (*)()>(dlsym(library, "hetmp_verbs_plugin")) : nullptr;
    return entry ? entry() : nullptr;
  }();
  return plugin;
}

/// Two nodes in one process: the test takes the part of each in turn. What needs no sockets is one object that joins as
/// either.
class Pair {
 public:
  explicit Pair(const TransportDescriptor& descriptor) : needs_sockets_(descriptor.kind.needs_sockets) {
    if (!needs_sockets_) {
      node_[0] = descriptor.make();
      node_[0]->prepare(2);
      return;
    }
    const auto sockets = connect_by_loopback(2);
    std::vector<std::thread> joining; // they may wait for each other
    for (uint32_t node = 0; node < 2; ++node) {
      node_[node] = descriptor.make();
      node_[node]->prepare(2);
      joining.emplace_back([this, node, &sockets] {
        node_[node]->join({.node = node, .nodes = 2, .sockets = sockets[node], .rdma = rdma_plugin()});
      });
    }
    for (std::thread& thread : joining)
      thread.join();
  }
  ~Pair() { finish(); }
  Transport& as(uint32_t node) {
    if (needs_sockets_)
      return *node_[node];
    node_[0]->join({.node = node, .nodes = 2});
    return *node_[0];
  }
  /// Runs `sends` of lane Anyone, which may have to wait for the receiver; the test receives and then calls finish().
  void begin(std::function<void()> sends) {
    if (needs_sockets_)
      sender_ = std::thread(std::move(sends));
    else // whoever sends never waits
      sends();
  }
  void finish() {
    if (sender_.joinable())
      sender_.join();
  }

 private:
  bool needs_sockets_;
  std::unique_ptr<Transport> node_[2];
  std::thread sender_;
};

/// GoogleTest's names have no hyphens.
std::string test_name(const testing::TestParamInfo<TransportDescriptor>& info) {
  std::string name(info.param.kind.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class TransportTest : public testing::TestWithParam<TransportDescriptor> {
 protected:
  std::unique_ptr<Pair> pair = std::make_unique<Pair>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Each, TransportTest, testing::ValuesIn(all_transports), test_name);

/// Until node 1 has something to receive. Meanwhile node 0 does what a service thread does: another thread of it may
/// leave messages to that.
bool wait_while_sending(Pair& pair) {
  for (int waited_ms = 0; waited_ms < long_ms; ++waited_ms) {
    if (wait_for_messages(pair.as(1), 1))
      return true;
    pair.as(0).flush();
  }
  return false;
}

/// Until both lanes from node 0 to node 1 have brought so much. False if something is wrong or nothing more comes.
bool receive_until(Pair& pair, Checker& checker, uint64_t service, uint64_t anyone) {
  bool right = true;
  while (right && (checker.arrived(Lane::Service) < service || checker.arrived(Lane::Anyone) < anyone)) {
    const bool more = pair.as(0).flush();
    Transport& receiver = pair.as(1);
    const size_t got =
        receiver.receive([&](uint32_t from, const Slot& slot) { right &= from == 0 && checker.accept(slot); });
    if (got == 0 && !more)
      right &= wait_while_sending(pair);
  }
  return right;
}

TEST_P(TransportTest, OrderIsKeptAndNothingIsLostBeyondTheRing) {
  for (uint64_t count : {uint64_t(1), Ring::slots - 1, Ring::slots, Ring::slots + 1, 10 * Ring::slots + 3}) {
    const std::unique_ptr<Pair> fresh = std::make_unique<Pair>(GetParam());
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

TEST_P(TransportTest, WhoLooksForMessagesSeesThemComeAndThenBeGone) {
  const auto seen = [&] { // a wire may take its time
    for (int tries = 0; tries < long_ms && !pair->as(1).has_messages(); ++tries)
      usleep(1000);
    return pair->as(1).has_messages();
  };
  for (Lane lane : {Lane::Service, Lane::Anyone}) {
    while (pair->as(1).has_messages())
      EXPECT_EQ(pair->as(1).receive([](uint32_t, const Slot&) {}), 0u) << "of what is nobody's";
    send_numbered(pair->as(0), 1, lane, 0);
    pair->as(0).flush();
    ASSERT_TRUE(seen());
    EXPECT_TRUE(seen()) << "to look takes nothing away";
    while (pair->as(1).receive([](uint32_t, const Slot&) {}) == 0)
      ASSERT_TRUE(wait_for_messages(pair->as(1)));
  }
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

constexpr const TransportDescriptor& shared_memory = all_transports[0];
static_assert(shared_memory.kind.name == "shared-memory");

TEST(SharedMemoryTransportTest, WhoFoundNoRoomHearsOfIt) {
  Pair pair(shared_memory);
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
  Pair pair(shared_memory);
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
  while (right) {
    const uint64_t before = checker.arrived(asks);
    const size_t received =
        transport.receive([&](uint32_t from, const Slot& slot) { right &= from == peer && checker.accept(slot); });
    for (uint64_t number = before; number < checker.arrived(asks); ++number)
      send_numbered(transport, peer, answers, number);
    const bool more = transport.flush();
    if (!more && checker.arrived(asks) == count && checker.arrived(answers) == count)
      break; // nobody says any more
    if (received == 0) {
      const bool rang = wait_for_messages(transport, more ? 1 : long_ms);
      right &= rang || more; // a wake-up that never comes ends the test, not the patience of whoever runs it
    }
  }
  program.join();
  return right;
}

/// What the library has: nodes of the loopback are in one process.
class ProcessesTransportTest : public TransportTest {};
INSTANTIATE_TEST_SUITE_P(Each, ProcessesTransportTest,
                         testing::ValuesIn(all_transports.begin(), all_transports.begin() + transport_kinds.size()),
                         test_name);

TEST_P(ProcessesTransportTest, TwoProcessesAskAndAnswer) {
  if (GetParam().kind.needs_rdma)
    GTEST_SKIP() << "what a device has connected belongs to the process that has opened it";
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

TEST(Rendezvous, EachNodeHearsWhatEachSays) {
  constexpr uint32_t nodes = 4;
  const auto sockets = connect_by_loopback(nodes);
  std::vector<std::thread> threads;
  for (uint32_t node = 0; node < nodes; ++node)
    threads.emplace_back([node, &sockets] {
      std::vector<uint64_t> said(nodes);
      said[node] = 1000 + node;
      EXPECT_EQ(exchange(node, sockets[node], said), "");
      for (uint32_t other = 0; other < nodes; ++other)
        EXPECT_EQ(said[other], 1000 + other);
    });
  for (std::thread& thread : threads)
    thread.join();
  const auto each_socket = [&](auto&& action) {
    for (const auto& of_node : sockets)
      for (const SocketPair& pair : of_node)
        for (const int socket : pair)
          if (socket >= 0)
            action(socket);
  };
  each_socket([](int socket) { EXPECT_FALSE(is_readable(socket, 0)) << "nothing may be left"; });
  each_socket([](int socket) { close(socket); });
}

TEST(Rendezvous, ANodeThatHasEndedIsNamed) {
  const auto sockets = connect_by_loopback(2);
  for (const int socket : sockets[1][0])
    close(socket);
  std::vector<uint64_t> said(2);
  EXPECT_TRUE(exchange(0, sockets[0], said).starts_with("node 1 "));
  for (const int socket : sockets[0][1])
    close(socket);
}

TEST(Rendezvous, ANodeThatSaysNothingIsNotWaitedForForEver) {
  const auto sockets = connect_by_loopback(2);
  uint64_t own = 1, all[2] = {};
  const std::string problem = exchange_bytes(0, sockets[0], &own, sizeof own, all, 10'000'000);
  EXPECT_EQ(problem, "node 1 did not say how it is to be reached: Connection timed out");
  for (const auto& of_node : sockets)
    for (const SocketPair& pair : of_node)
      for (const int socket : pair)
        if (socket >= 0)
          close(socket);
}

TEST(TransportTable, NamesAreFoundAndComplaintsNameAll) {
  for (const TransportKind& kind : transport_kinds) {
    EXPECT_EQ(find_transport(kind.name), &kind);
    EXPECT_NE(no_transport_of_that_name().find(kind.name), std::string::npos);
  }
  EXPECT_EQ(find_transport("pigeons"), nullptr);
  EXPECT_EQ(find_transport(""), nullptr);
  EXPECT_EQ(no_transport_of_that_name(), "none of shared-memory, tcp, verbs, auto");
  EXPECT_EQ(transport_names(), "shared-memory, tcp, verbs or auto");
  EXPECT_EQ(transport_names(&TransportKind::over_hosts), "tcp, verbs or auto");
}

} // namespace
} // namespace hetmp::dsm
