// Strangers who connect while a run starts: each is refused with one line, and the nodes connect all the same.
#include "mesh_fixture.hpp"

#include <cstring>

namespace hetmp::launch {
namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

constexpr const char* refused = "hetmp: refused a connection from 127.0.0.1 while the run starts: ";

/// All nodes but the last are waiting while the test plays strangers; the last one then completes the mesh. Connections
/// are taken in their order, so every stranger has been seen by then.
class StrangersTest : public MeshTest {
 protected:
  void start_all_but_one(size_t nodes) {
    open(nodes);
    CaptureStderr();
    for (uint32_t node = 0; node + 1 < nodes; ++node)
      start(node);
  }
  /// Also checks that there were `lines` lines, each of a refusal.
  void complete(size_t lines) {
    start(uint32_t(meshes.size()) - 1);
    finish();
    said = GetCapturedStderr();
    expect_complete();
    EXPECT_EQ(count_of(said, "\n"), lines) << said;
    EXPECT_EQ(count_of(said, refused), lines) << said;
    for (const int stranger : strangers)
      close(stranger);
  }
  int connect_stranger(uint32_t node, const void* bytes = nullptr, size_t count = 0) {
    strangers.push_back(connect_to(endpoints[node]));
    EXPECT_GE(strangers.back(), 0);
    if (count != 0) {
      EXPECT_EQ(send(strangers.back(), bytes, count, MSG_NOSIGNAL), ssize_t(count));
    }
    return strangers.back();
  }
  /// Connections are accepted in their order, and garbage is answered at once. One more line.
  void wait_until_all_are_accepted(uint32_t node) {
    const std::vector<char> garbage(sizeof(Hello), 'x');
    EXPECT_TRUE(is_closed_by_peer(connect_stranger(node, garbage.data(), garbage.size())));
  }

  std::vector<int> strangers;
  std::string said;
};

TEST_F(StrangersTest, GarbageIsRefusedAtOnce) {
  start_all_but_one(3);
  const std::vector<char> garbage(1000, 'x');
  for (uint32_t node = 0; node < 2; ++node) {
    EXPECT_TRUE(is_closed_by_peer(connect_stranger(node, garbage.data(), garbage.size())));
    EXPECT_TRUE(is_closed_by_peer(connect_stranger(node, garbage.data(), sizeof(Hello))));
  }
  complete(4);
  EXPECT_EQ(count_of(said, "it is not a node of hetmp"), 4u) << said;
}

TEST_F(StrangersTest, AnotherSecretIsRefused) {
  start_all_but_one(3);
  const Secret guessed = random_secret();
  for (uint32_t node = 0; node < 2; ++node) {
    const Opener opener(guessed, {2, node, 0});
    EXPECT_TRUE(is_closed_by_peer(connect_stranger(node, &opener.hello(), sizeof(Hello))));
  }
  complete(2);
  EXPECT_EQ(count_of(said, "it does not know this run's secret"), 2u) << said;
}

TEST_F(StrangersTest, AnotherVersionIsRefused) {
  start_all_but_one(2);
  const Opener opener(secret, {1, 0, 0});
  Hello hello = opener.hello();
  hello.version += 1;
  EXPECT_TRUE(is_closed_by_peer(connect_stranger(0, &hello, sizeof hello)));
  complete(1);
  EXPECT_EQ(count_of(said, "it is another version of hetmp"), 1u) << said;
}

TEST_F(StrangersTest, AHelloForAnotherNodeIsRefused) {
  start_all_but_one(3);
  const Opener opener(secret, {2, 1, 0});
  EXPECT_TRUE(is_closed_by_peer(connect_stranger(0, &opener.hello(), sizeof(Hello))));
  complete(1);
  EXPECT_EQ(count_of(said, "it wants another node"), 1u) << said;
}

TEST_F(StrangersTest, WhoHangsUpIsRefused) {
  start_all_but_one(2);
  close(connect_stranger(0));
  strangers.clear();
  const Opener opener(secret, {1, 0, 0});
  close(connect_stranger(0, &opener.hello(), sizeof(Hello) - 1));
  strangers.clear();
  complete(2);
  EXPECT_EQ(count_of(said, "it closed the connection before it had proved anything"), 2u) << said;
}

TEST_F(StrangersTest, WhoSaysNothingOrNotEnoughHoldsNobodyUp) {
  start_all_but_one(4);
  const Opener opener(secret, {3, 0, 0});
  for (uint32_t node = 0; node < 3; ++node) {
    connect_stranger(node);
    connect_stranger(node, &opener.hello(), 1);
    connect_stranger(node, &opener.hello(), sizeof(Hello) - 1);
  }
  complete(9);
}

TEST_F(StrangersTest, ThreeHundredIdleConnectionsHoldNobodyUp) {
  start_all_but_one(3);
  for (int i = 0; i < 300; ++i) {
    connect_stranger(0);
    if (i % 60 == 59) // more than that might find no place in the kernel's queue
      wait_until_all_are_accepted(0);
  }
  complete(305);
}

TEST_F(StrangersTest, IdleConnectionsFromBeforeANodeWaitsHoldNobodyUp) {
  open(3);
  CaptureStderr();
  for (int i = 0; i < 100; ++i)
    connect_stranger(0);
  start(0);
  start(1);
  wait_until_all_are_accepted(0);
  complete(101);
}

/// Passes bytes between two connections until both have ended.
class Proxy {
 public:
  Proxy(int client, int server) : client_(client), server_(server) {
    thread_ = std::thread([this] { run(); });
  }
  ~Proxy() { thread_.join(); }

 private:
  void run() {
    char bytes[4096];
    pollfd polled[2] = {{client_, POLLIN, 0}, {server_, POLLIN, 0}};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
      poll(polled, 2, -1);
      for (int i = 0; i < 2; ++i) {
        if (!polled[i].revents)
          continue;
        const int from = i == 0 ? client_ : server_, to = i == 0 ? server_ : client_;
        const ssize_t got = recv(from, bytes, sizeof bytes, 0);
        if (got <= 0) {
          shutdown(to, SHUT_WR);
          polled[i].fd = -1;
          continue;
        }
        send(to, bytes, size_t(got), MSG_NOSIGNAL);
      }
    }
    close(client_);
    close(server_);
  }

  const int client_, server_;
  std::thread thread_;
};

TEST_F(StrangersTest, WhatAManInTheMiddleHasSeenIsOfNoUse) {
  open(3);
  CaptureStderr();
  ListeningSocket middle;
  ASSERT_EQ(middle.open("127.0.0.1"), "");
  start(0);
  start(1, {middle.endpoint(), endpoints[1], endpoints[2]});
  // One lane after the other passes through here. The handshake is over when the next one begins.
  const int client = accept_from(middle);
  std::string recorded(sizeof(Hello) + sizeof(Proof), '\0');
  const int server = connect_to(endpoints[0]);
  ASSERT_GE(client, 0);
  ASSERT_GE(server, 0);
  Challenge challenge;
  ASSERT_EQ(recv(client, recorded.data(), sizeof(Hello), MSG_WAITALL), ssize_t(sizeof(Hello)));
  ASSERT_EQ(send(server, recorded.data(), sizeof(Hello), 0), ssize_t(sizeof(Hello)));
  ASSERT_EQ(recv(server, &challenge, sizeof challenge, MSG_WAITALL), ssize_t(sizeof challenge));
  ASSERT_EQ(send(client, &challenge, sizeof challenge, 0), ssize_t(sizeof challenge));
  ASSERT_EQ(recv(client, recorded.data() + sizeof(Hello), sizeof(Proof), MSG_WAITALL), ssize_t(sizeof(Proof)));

  // Replayed before the true proof has arrived, and with the true proof.
  const int replay = connect_stranger(0, recorded.data(), sizeof(Hello));
  Challenge another;
  ASSERT_EQ(recv(replay, &another, sizeof another, MSG_WAITALL), ssize_t(sizeof another));
  EXPECT_NE(memcmp(&another, &challenge, sizeof challenge), 0);
  EXPECT_EQ(send(replay, recorded.data() + sizeof(Hello), sizeof(Proof), MSG_NOSIGNAL), ssize_t(sizeof(Proof)));
  EXPECT_TRUE(is_closed_by_peer(replay));
  // Replayed in one piece, as a whole conversation.
  EXPECT_TRUE(is_closed_by_peer(connect_stranger(0, recorded.data(), recorded.size())));

  ASSERT_EQ(send(server, recorded.data() + sizeof(Hello), sizeof(Proof), 0), ssize_t(sizeof(Proof)));
  {
    const Proxy first(client, server);
    const int second_client = accept_from(middle);
    const int second_server = connect_to(endpoints[0]);
    const Proxy second(second_client, second_server);
    complete(2);
    EXPECT_EQ(count_of(said, "it replays another connection's hello"), 2u) << said;
    // The proxies end when the nodes' connections do.
    for (Mesh& mesh : meshes) {
      for (const auto& pair : mesh.sockets)
        for (const int socket : pair)
          if (socket >= 0)
            close(socket);
      mesh.sockets.clear();
    }
  }
}

TEST_F(StrangersTest, ANodeThatComesTwiceIsRefused) {
  start_all_but_one(3);
  // Both lanes of node 1 are there once it waits itself, and it waits once it answers somebody.
  const Opener curious(secret, {2, 1, 0});
  const int waiting = connect_stranger(1, &curious.hello(), sizeof(Hello));
  Challenge challenge;
  ASSERT_EQ(recv(waiting, &challenge, sizeof challenge, MSG_WAITALL), ssize_t(sizeof challenge));
  for (const Purpose& purpose : {Purpose{1, 0, 0}, Purpose{0, 0, 0}, Purpose{3, 0, 0}, Purpose{2, 0, 2},
                                 Purpose{77, 0, 1}, Purpose{2, 0, 0x40000000}}) {
    const Opener opener(secret, purpose); // one who knows the secret and is confused
    const int again = connect_stranger(0, &opener.hello(), sizeof(Hello));
    ASSERT_EQ(recv(again, &challenge, sizeof challenge, MSG_WAITALL), ssize_t(sizeof challenge));
    const auto proof = opener.answer(challenge);
    ASSERT_TRUE(proof);
    EXPECT_EQ(send(again, &*proof, sizeof *proof, 0), ssize_t(sizeof *proof));
    EXPECT_TRUE(is_closed_by_peer(again));
  }
  complete(7);
  EXPECT_EQ(count_of(said, "it is a node that is here already, or none of this run"), 6u) << said;
}

TEST_F(StrangersTest, AllAtOnce) {
  start_all_but_one(8);
  const Secret guessed = random_secret();
  const std::vector<char> garbage(5000, '\xff');
  size_t lines = 0;
  for (uint32_t node = 0; node < 7; ++node) {
    const Opener stranger(guessed, {7, node, 0}), opener(secret, {7, node, 0});
    connect_stranger(node);
    connect_stranger(node, garbage.data(), garbage.size());
    connect_stranger(node, &stranger.hello(), sizeof(Hello));
    connect_stranger(node, &opener.hello(), 50);
    connect_stranger(node, &opener.hello(), sizeof(Hello)); // a replay that then says nothing
    lines += 5;
  }
  complete(lines);
}

} // namespace
} // namespace hetmp::launch
