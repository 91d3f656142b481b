#include "dsm/transport/rendezvous.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace hetmp::dsm {
namespace {

/// Moves all bytes by `move` (send or recv, which do not wait) until a time of monotonic_ns(). False if the connection
/// has ended, or has an error: then errno is not 0.
template <class Move>
bool move_all(int socket, short direction, uint8_t* bytes, size_t count, int64_t deadline_ns, Move move) {
  while (count != 0) {
    const ssize_t moved = move(socket, bytes, count);
    if (moved > 0) {
      bytes += moved;
      count -= size_t(moved);
    } else if (moved == 0) {
      errno = 0;
      return false;
    } else if (errno == EAGAIN) {
      const int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
      pollfd ready{socket, direction, 0};
      if (left_ms <= 0 || poll(&ready, 1, int(left_ms)) == 0) {
        errno = ETIMEDOUT;
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string failed_with(size_t node) {
  return "node " + std::to_string(node) +
         " did not say how it is to be reached: " + (errno != 0 ? strerrordesc_np(errno) : "its connection was closed");
}

} // namespace

std::string exchange_bytes(uint32_t self, const std::vector<SocketPair>& sockets, const void* own, size_t bytes,
                           void* all, int64_t patience_ns) {
  std::vector<uint8_t> copies;
  for (size_t node = 0; node < sockets.size(); ++node)
    copies.insert(copies.end(), static_cast<const uint8_t*>(own), static_cast<const uint8_t*>(own) + bytes);
  return exchange_each(self, sockets, copies.data(), bytes, all, patience_ns);
}

std::string exchange_each(uint32_t self, const std::vector<SocketPair>& sockets, const void* own, size_t bytes,
                          void* all, int64_t patience_ns) {
  const auto* const from = static_cast<const uint8_t*>(own);
  std::vector<uint8_t> copy(from, from + bytes * sockets.size());
  auto* const to = static_cast<uint8_t*>(all);
  memcpy(to + self * bytes, copy.data() + self * bytes, bytes);
  const int64_t deadline_ns = monotonic_ns() + patience_ns;
  // First everything out, which fits into the sockets' buffers as long as it is little: nobody waits for a reader.
  for (size_t node = 0; node < sockets.size(); ++node)
    if (node != self && !move_all(sockets[node][0], POLLOUT, copy.data() + node * bytes, bytes, deadline_ns,
                                  [](int socket, uint8_t* at, size_t count) {
                                    return ::send(socket, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
                                  }))
      return failed_with(node);
  for (size_t node = 0; node < sockets.size(); ++node)
    if (node != self &&
        !move_all(sockets[node][0], POLLIN, to + node * bytes, bytes, deadline_ns,
                  [](int socket, uint8_t* at, size_t count) { return ::recv(socket, at, count, MSG_DONTWAIT); }))
      return failed_with(node);
  return {};
}

} // namespace hetmp::dsm
