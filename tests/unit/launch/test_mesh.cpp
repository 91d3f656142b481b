// All nodes of a run get connections to all others; who never comes is an error and not a hang.
#include "mesh_fixture.hpp"

#include <csignal>
#include <set>

namespace hetmp::launch {
namespace {

class Nodes : public MeshTest, public testing::WithParamInterface<size_t> {};

INSTANTIATE_TEST_SUITE_P(Mesh, Nodes, testing::Values(2, 3, 8));

TEST_P(Nodes, AllHaveAll) {
  open(GetParam());
  testing::internal::CaptureStderr();
  for (uint32_t node = 0; node < GetParam(); ++node)
    start(node);
  finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  expect_complete();
}

TEST_P(Nodes, OfASealedRunHaveKeysThatBelongTogether) {
  open(GetParam());
  for (uint32_t node = 0; node < GetParam(); ++node)
    start(node, endpoints, patience_s, true);
  finish();
  expect_complete();
  std::set<seal::Key> all;
  for (uint32_t i = 0; i < GetParam(); ++i) {
    ASSERT_EQ(meshes[i].keys.size(), GetParam());
    for (uint32_t j = 0; j < GetParam(); ++j)
      for (size_t lane = 0; lane < 2 && i != j; ++lane) {
        EXPECT_EQ(meshes[i].keys[j][lane].send, meshes[j].keys[i][lane].receive);
        all.insert(meshes[i].keys[j][lane].send);
      }
  }
  EXPECT_EQ(all.size(), GetParam() * (GetParam() - 1) * 2);
}

TEST_F(MeshTest, ANodeThatDoesNotSealWhereOthersDoIsRefused) {
  open(2);
  testing::internal::CaptureStderr();
  start(0, endpoints, 1, true);
  start(1, endpoints, 1, false);
  finish();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("it wants no encryption, and this run has it"),
            std::string::npos);
  for (const Mesh& mesh : meshes) {
    EXPECT_NE(mesh.error, "");
    EXPECT_TRUE(mesh.sockets.empty() && mesh.keys.empty());
  }
}

TEST_P(Nodes, InWhicheverOrderTheyStart) {
  open(GetParam());
  for (uint32_t node = uint32_t(GetParam()); node-- > 0;) {
    start(node);
    usleep(2000);
  }
  finish();
  expect_complete();
}

TEST_F(MeshTest, SocketsGoToTheProgramThatIsExecuted) {
  open(2);
  start(0);
  start(1);
  finish();
  expect_complete();
  for (const int socket : {meshes[0].sockets[1][0], meshes[1].sockets[0][1]}) {
    EXPECT_EQ(fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  }
  EXPECT_NE(fcntl(listening[0]->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(MeshTest, ASignalEndsNoWait) {
  signal(SIGUSR1, [](int) {});
  open(2);
  start(1); // waits for node 0's answer
  for (int i = 0; i < 20; ++i) {
    usleep(1000);
    pthread_kill(threads[1].native_handle(), SIGUSR1);
  }
  start(0);
  finish();
  expect_complete();
}

TEST_F(MeshTest, WhoNeverComesIsMissedInTime) {
  open(3);
  start(0, endpoints, 1);
  start(1, endpoints, 1); // node 2 does not start
  finish();
  for (uint32_t node : {0u, 1u}) {
    EXPECT_EQ(meshes[node].error, "not all nodes behind node " + std::to_string(node) + " have connected in time");
    EXPECT_TRUE(meshes[node].sockets.empty());
  }
}

TEST_F(MeshTest, WhoListensAndDoesNotAnswerIsMissedInTime) {
  open(2);
  start(1, endpoints, 1);
  finish();
  EXPECT_EQ(meshes[1].error, "node 0 at 127.0.0.1 does not answer as a node of this run");
  EXPECT_TRUE(meshes[1].sockets.empty());
}

TEST_F(MeshTest, WhereNobodyListensIsSaid) {
  open(2);
  listening[0]->close();
  start(1);
  finish();
  EXPECT_EQ(meshes[1].error, "cannot connect to node 0 at 127.0.0.1: Connection refused");
  EXPECT_TRUE(meshes[1].sockets.empty());
}

TEST_F(MeshTest, AnAddressThatIsNoneIsSaid) {
  open(2);
  start(1, {{"no address", 1}, endpoints[1]});
  finish();
  EXPECT_EQ(meshes[1].error.find("no address: "), 0u) << meshes[1].error;
}

/// Node 0 as a stranger would play it.
TEST_F(MeshTest, WhoDoesNotKnowTheSecretIsNotTakenForANode) {
  open(2);
  start(1);
  const int peer = accept_from(*listening[0]);
  ASSERT_GE(peer, 0);
  Hello hello;
  ASSERT_EQ(recv(peer, &hello, sizeof hello, MSG_WAITALL), ssize_t(sizeof hello));
  const Secret guessed = random_secret();
  const Opener opener(guessed, hello.purpose);
  Listener listener(guessed, 0);
  ASSERT_EQ(listener.check(opener.hello()), nullptr);
  ASSERT_EQ(write(peer, &listener.challenge(), sizeof(Challenge)), ssize_t(sizeof(Challenge)));
  finish();
  EXPECT_EQ(meshes[1].error, "node 0 at 127.0.0.1 does not know this run's secret");
  EXPECT_TRUE(meshes[1].sockets.empty());
  EXPECT_TRUE(is_closed_by_peer(peer));
  close(peer);
}

TEST_F(MeshTest, WhoClosesTheConnectionIsNotTakenForANode) {
  open(2);
  start(1);
  const int peer = accept_from(*listening[0]);
  ASSERT_GE(peer, 0);
  close(peer);
  finish();
  EXPECT_EQ(meshes[1].error, "node 0 at 127.0.0.1 does not answer as a node of this run");
}

TEST(ListeningSocketTest, ListensThereAndNowhereElse) {
  ListeningSocket socket;
  ASSERT_EQ(socket.open("127.0.0.1"), "");
  EXPECT_EQ(socket.endpoint().address, "127.0.0.1");
  EXPECT_NE(socket.endpoint().port, 0);
  const int reached = connect_to(socket.endpoint());
  EXPECT_GE(reached, 0);
  close(reached);
  EXPECT_EQ(connect_to({"127.0.0.2", socket.endpoint().port}), -1) << "another address of this machine";
  const Endpoint endpoint = socket.endpoint();
  socket.close();
  EXPECT_EQ(connect_to(endpoint), -1);
}

TEST(ListeningSocketTest, AHostThatIsNoneIsSaid) {
  ListeningSocket socket;
  EXPECT_EQ(socket.open("no host").find("no host: "), 0u);
  ListeningSocket other;
  EXPECT_EQ(other.open("192.0.2.1"), "cannot listen on 192.0.2.1: Cannot assign requested address"); // of documentation
}

TEST(ListeningSocketTest, TwoOnOneAddressHaveTwoPorts) {
  ListeningSocket one, two;
  ASSERT_EQ(one.open("127.0.0.1"), "");
  ASSERT_EQ(two.open("127.0.0.1"), "");
  EXPECT_NE(one.endpoint().port, two.endpoint().port);
}

} // namespace
} // namespace hetmp::launch
