// Nodes that connect with each other, as threads of one process, and whoever else connects to them.
#pragma once

#include "runtime/launch/connection/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace hetmp::launch {

/// A connection to an endpoint on 127.0.0.1.
inline int connect_to(const Endpoint& endpoint) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  inet_pton(AF_INET, endpoint.address.c_str(), &address.sin_addr);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return descriptor;
  close(descriptor);
  return -1;
}

/// The next one who connects; -1 if nobody does.
inline int accept_from(const ListeningSocket& listening) {
  pollfd somebody{listening.descriptor(), POLLIN, 0};
  poll(&somebody, 1, 30'000);
  return accept(listening.descriptor(), nullptr, nullptr);
}

/// Whether the other side closes the connection; what it sends before is read.
inline bool is_closed_by_peer(int descriptor) {
  char bytes[256];
  ssize_t got;
  while ((got = recv(descriptor, bytes, sizeof bytes, 0)) > 0)
    ;
  return got == 0 || errno == ECONNRESET;
}

inline size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

class MeshTest : public testing::Test {
 protected:
  static constexpr int patience_s = 60; // much more than anything here needs

  void open(size_t nodes) {
    for (size_t i = 0; i < nodes; ++i) {
      listening.push_back(std::make_unique<ListeningSocket>());
      ASSERT_EQ(listening.back()->open("127.0.0.1"), "");
      endpoints.push_back(listening.back()->endpoint());
    }
    meshes.resize(nodes);
    threads.resize(nodes);
  }
  void start(uint32_t node) { start(node, endpoints); }
  /// As the node would with other endpoints.
  void start(uint32_t node, std::vector<Endpoint> seen, int patience = patience_s, bool sealed = false) {
    threads[node] = std::thread([this, node, seen = std::move(seen), patience, sealed] {
      meshes[node] = connect_mesh(node, seen, *listening[node], secret, patience, sealed);
    });
  }
  void finish() {
    for (std::thread& thread : threads)
      if (thread.joinable())
        thread.join();
  }
  void TearDown() override {
    finish();
    for (const Mesh& mesh : meshes)
      for (const auto& pair : mesh.sockets)
        for (const int socket : pair)
          if (socket >= 0)
            close(socket);
  }

  /// Everybody has everybody, and what is written on one end of each lane comes out of the right other end.
  void expect_complete() {
    for (uint32_t i = 0; i < meshes.size(); ++i) {
      ASSERT_EQ(meshes[i].error, "") << "node " << i;
      ASSERT_EQ(meshes[i].sockets.size(), meshes.size());
    }
    for (uint32_t i = 0; i < meshes.size(); ++i)
      for (uint32_t j = 0; j < meshes.size(); ++j)
        for (uint32_t lane = 0; lane < 2; ++lane) {
          if (i == j) {
            ASSERT_EQ(meshes[i].sockets[j][lane], -1);
            continue;
          }
          const uint32_t sent[3] = {i, j, lane};
          uint32_t got[3] = {};
          ASSERT_EQ(write(meshes[i].sockets[j][lane], sent, sizeof sent), ssize_t(sizeof sent));
          ASSERT_EQ(recv(meshes[j].sockets[i][lane], got, sizeof got, MSG_WAITALL), ssize_t(sizeof got));
          ASSERT_TRUE(std::equal(sent, sent + 3, got)) << i << " to " << j << ", lane " << lane;
        }
  }

  const Secret secret = random_secret();
  std::vector<std::unique_ptr<ListeningSocket>> listening;
  std::vector<Endpoint> endpoints;
  std::vector<Mesh> meshes;
  std::vector<std::thread> threads;
};

} // namespace hetmp::launch
