#include "dsm/transport/loopback.hpp"

#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

[[noreturn]] void give_up() {
  die(exit_code::software, "no TCP connections within this machine: %s", strerrordesc_np(errno));
}

int listen_here(sockaddr_in& address) {
  const int listener = above_standard_streams(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = 0;
  socklen_t bytes = sizeof address;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), bytes) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    give_up();
  return listener;
}

/// The two ends of one connection. Whoever else connects meanwhile is turned away: its address and port are not those
/// of our end.
void make_connection(int listener, const sockaddr_in& address, int& here, int& there) {
  here = above_standard_streams(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{}, peer{};
  socklen_t bytes = sizeof own;
  if (here < 0 || connect(here, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      getsockname(here, reinterpret_cast<sockaddr*>(&own), &bytes) != 0)
    give_up();
  while (true) {
    bytes = sizeof peer;
    there = above_standard_streams(accept4(listener, reinterpret_cast<sockaddr*>(&peer), &bytes, SOCK_CLOEXEC));
    if (there >= 0 && peer.sin_port == own.sin_port && peer.sin_addr.s_addr == own.sin_addr.s_addr)
      return;
    if (there >= 0)
      close(there);
    else if (errno != EINTR && errno != ECONNABORTED)
      give_up();
  }
}

} // namespace

std::vector<std::vector<SocketPair>> connect_by_loopback(uint32_t nodes) {
  std::vector<std::vector<SocketPair>> sockets(nodes, std::vector<SocketPair>(nodes, SocketPair{-1, -1}));
  sockaddr_in address{};
  const int listener = listen_here(address);
  for (uint32_t i = 0; i < nodes; ++i)
    for (uint32_t j = i + 1; j < nodes; ++j)
      for (size_t lane = 0; lane < 2; ++lane)
        make_connection(listener, address, sockets[i][j][lane], sockets[j][i][lane]);
  close(listener);
  return sockets;
}

} // namespace hetmp::dsm
