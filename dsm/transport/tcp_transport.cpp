#include "dsm/transport/tcp_transport.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// Of the stream of pages: what one system call may bring. A series of pages fits.
constexpr size_t page_buffer_bytes = size_t(512) << 10;
constexpr size_t message_buffer_bytes = size_t(32) << 10;

void set_blocking(int socket, bool blocking) {
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

} // namespace

void TcpTransport::join(const Place& place) {
  set_patience(place.patience_ns, place.patience_with_messages_ns);
  if (place.is_stopped)
    set_is_stopped(place.is_stopped);
  connect(place.node, place.sockets, place.watch);
  if (place.cipher)
    seal_with(*place.cipher, *place.keys);
}

void TcpTransport::connect(uint32_t self, const std::vector<SocketPair>& sockets, Watch watch) {
  HETMP_CHECK(self < sockets.size() && outgoing_.empty()); // once
  self_ = self;
  liveness_.begin(self, uint32_t(sockets.size()), watch, monotonic_ns());
  poll_set_ = above_standard_streams(epoll_create1(EPOLL_CLOEXEC));
  if (poll_set_ < 0)
    die(exit_code::software, "no descriptor to wait for messages: %s", strerrordesc_np(errno));
  outgoing_ = std::vector<Outgoing>(sockets.size());
  open_.assign(sockets.size(), true);
  for (uint32_t node = 0; node < sockets.size(); ++node) {
    SocketPair out = sockets[node];
    SocketPair in = out;
    if (node == self) {
      // To itself through the kernel, too: what the program's threads send is then like anything else that comes.
      for (size_t lane = 0; lane < 2; ++lane) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
          die(exit_code::software, "no sockets for a node's messages to itself: %s", strerrordesc_np(errno));
        out[lane] = above_standard_streams(ends[0]);
        in[lane] = above_standard_streams(ends[1]);
      }
    } else {
      const int now = 1; // no gathering of small messages by the kernel: somebody waits for each of them
      for (const int socket : out) {
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
        fcntl(socket, F_SETFD, FD_CLOEXEC); // a program that this one starts would keep the connection open
      }
    }
    outgoing_[node].service = out[size_t(Lane::Service)];
    outgoing_[node].anyone = out[size_t(Lane::Anyone)];
    // The reading side of a connection is the same socket, and reading never waits (MSG_DONTWAIT).
    set_blocking(outgoing_[node].service, false);
    set_blocking(outgoing_[node].anyone, true);
    listen_to(node, Lane::Service, in[size_t(Lane::Service)], page_buffer_bytes);
    listen_to(node, Lane::Anyone, in[size_t(Lane::Anyone)], message_buffer_bytes);
  }
}

void TcpTransport::listen_to(uint32_t from, Lane lane, int socket, size_t buffer_bytes) {
  incoming_.push_back({socket, from, lane, std::make_unique<FrameReader>(buffer_bytes, 0, true), nullptr, 0, not_yet});
  epoll_event interest{};
  interest.events = EPOLLIN;
  interest.data.u32 = uint32_t(incoming_.size() - 1);
  if (epoll_ctl(poll_set_, EPOLL_CTL_ADD, socket, &interest) != 0)
    die(exit_code::software, "cannot wait for messages of node %u: %s", from, strerrordesc_np(errno));
}

bool TcpTransport::has_messages() {
  pollfd bell{poll_set_, POLLIN, 0};
  something_came_ = poll(&bell, 1, 0) > 0; // frames that were read are handed over at once: none is left in a buffer
  return something_came_;
}

size_t TcpTransport::receive(const Handle& handle) {
  if (!something_came_) {
    something_came_ = true; // the next call looks
    return 0;
  }
  epoll_event ready[16];
  const int count = epoll_wait(poll_set_, ready, 16, 0);
  size_t messages = 0;
  for (int i = 0; i < count; ++i)
    read_from(incoming_[ready[i].data.u32], handle, messages);
  return messages;
}

/// Whether there was something.
bool TcpTransport::read_from(Incoming& incoming, const Handle& handle, size_t& messages) {
  if (incoming.socket < 0) // its node was lost a moment ago
    return false;
  const ssize_t bytes = recv(incoming.socket, incoming.room(), incoming.room_bytes(), MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (bytes <= 0) {
    const char* reason = bytes == 0 ? "its connection was closed" : strerrordesc_np(errno);
    stop_reading(incoming);
    take_what_is_left(incoming.from, handle, messages);
    lose(incoming.from, reason);
    return false;
  }
  HETMP_CHECK(size_t(bytes) <= incoming.room_bytes() && incoming.from < open_.size());
  incoming.filled(size_t(bytes));
  const Clock now = monotonic_ns();
  const uint64_t frames_before = incoming.frames;
  liveness_.heard(incoming.from, now);
  if (incoming.records)
    open_records(incoming, handle, messages);
  else
    give_messages(incoming, handle, messages);
  note_part(incoming, frames_before, now);
  return true;
}

void TcpTransport::give_messages(Incoming& incoming, const Handle& handle, size_t& messages) {
  FrameReader& reader = *incoming.reader;
  while (const auto slot = reader.next()) {
    ++incoming.frames;
    if (Liveness::is_sign(slot->header))
      continue;
    handle(incoming.from, *slot);
    ++messages;
  }
  if (reader.broken())
    lose(incoming.from, reader.changed() ? "what came from it was changed on the way" : "it sent what is no message",
         reader.changed());
}

/// When one of a node's lanes has ended, what it sent before on the other is still to come. It may be what explains the
/// end.
void TcpTransport::take_what_is_left(uint32_t node, const Handle& handle, size_t& messages) {
  constexpr int most_reads = 1024; // more than buffers hold: this waits for nobody who goes on sending
  for (Incoming& incoming : incoming_)
    if (incoming.from == node)
      for (int i = 0; i < most_reads && read_from(incoming, handle, messages); ++i) {
      }
}

void TcpTransport::stop_reading(Incoming& incoming) {
  epoll_ctl(poll_set_, EPOLL_CTL_DEL, incoming.socket, nullptr);
  incoming.socket = -1;
  note_part(incoming, incoming.frames, 0);
}

} // namespace hetmp::dsm
