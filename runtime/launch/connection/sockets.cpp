#include "runtime/launch/connection/sockets.hpp"

#include "base/clock.hpp"
#include "runtime/launch/connection/mesh.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

namespace hetmp::launch {

int64_t now_ms() { return monotonic_ns() / 1'000'000; }

std::string numeric(const sockaddr_storage& address, socklen_t bytes) {
  char host[NI_MAXHOST] = "?";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

bool read_exactly(int socket, void* to, size_t size, int64_t deadline_ms) {
  auto* bytes = static_cast<uint8_t*>(to);
  while (size != 0) {
    const int64_t left = deadline_ms - now_ms();
    pollfd readable{socket, POLLIN, 0};
    if (left <= 0 || (poll(&readable, 1, int(left)) < 0 && errno != EINTR))
      return false;
    const ssize_t got = recv(socket, bytes, size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      return false;
    if (got > 0) {
      bytes += got;
      size -= size_t(got);
    }
  }
  return true;
}

bool write_exactly(int socket, const void* bytes, size_t size) {
  return send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) == ssize_t(size);
}

std::string resolve(const std::string& host, uint16_t port, Resolved& result) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    return host + ": " + gai_strerror(error);
  memcpy(&result.address, found->ai_addr, found->ai_addrlen);
  result.bytes = found->ai_addrlen;
  freeaddrinfo(found);
  return {};
}

int connect_by(const Resolved& to, int64_t deadline_ms) {
  const int descriptor = socket(to.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (descriptor < 0)
    return -1;
  int error = connect(descriptor, reinterpret_cast<const sockaddr*>(&to.address), to.bytes) == 0 ? 0 : errno;
  while (error == EINPROGRESS) {
    pollfd writable{descriptor, POLLOUT, 0};
    const int64_t left = deadline_ms - now_ms();
    socklen_t bytes = sizeof error;
    if (left <= 0)
      error = ETIMEDOUT;
    else if (poll(&writable, 1, int(left)) == 1)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes);
  }
  if (error != 0) {
    close(descriptor);
    errno = error;
    return -1;
  }
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

std::string ListeningSocket::open(const std::string& host) {
  Resolved here;
  if (std::string wrong = resolve(host, 0, here); !wrong.empty())
    return wrong;
  descriptor_ = socket(here.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  socklen_t bytes = sizeof here.address;
  if (descriptor_ < 0 || bind(descriptor_, reinterpret_cast<sockaddr*>(&here.address), here.bytes) != 0 ||
      listen(descriptor_, 128) != 0 ||
      getsockname(descriptor_, reinterpret_cast<sockaddr*>(&here.address), &bytes) != 0)
    return "cannot listen on " + host + ": " + strerrordesc_np(errno);
  endpoint_.address = numeric(here.address, bytes);
  endpoint_.port =
      ntohs(here.address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(here.address).sin6_port
                                               : reinterpret_cast<const sockaddr_in&>(here.address).sin_port);
  return {};
}

void ListeningSocket::close() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  descriptor_ = -1;
}

} // namespace hetmp::launch
