#include "dsm/transport/tcp_transport.hpp"

#include "base/clock.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"
#include "dsm/transport/frame_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <span>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE
constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t sign_interval_ns = second_ns;
/// With a node that has been connected and has its program still to load. Less than the origin waits for all to join:
/// its line would not name the node.
constexpr int64_t start_patience_ns = 25 * second_ns;
/// Of the stream of pages: what one system call may bring. A series of pages fits.
constexpr size_t page_buffer_bytes = size_t(512) << 10;
constexpr size_t message_buffer_bytes = size_t(32) << 10;

/// From so much data on a copy costs more than a system call.
constexpr size_t send_through_bytes = 4 * page_bytes;
/// Less than this waits for every message now and then.
constexpr size_t unsent_bytes = size_t(32) << 10;

/// A frame with this channel and nothing in it, not passed on: a sign of life.
constexpr size_t no_message = 0;

SlotHeader header_of(Channel channel, const void* message, size_t message_bytes, size_t data_bytes) {
  SlotHeader header;
  header.channel = channel;
  header.header_bytes = uint16_t(message_bytes);
  header.data_bytes = uint32_t(data_bytes);
  if (message_bytes != 0)
    memcpy(header.message, message, std::min(message_bytes, sizeof header.message));
  return header;
}

void set_blocking(int socket, bool blocking) {
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/// Reads a byte of each page, as any code would: a page that is elsewhere comes then.
void touch(const iovec* pieces, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const volatile char*>(pieces[i].iov_base);
    for (size_t at = 0; at < pieces[i].iov_len; at += page_bytes)
      static_cast<void>(bytes[at]);
    if (pieces[i].iov_len != 0)
      static_cast<void>(bytes[pieces[i].iov_len - 1]);
  }
}

/// Waits for room, not for the receiver's program: see transport.hpp. False if the connection has ended.
bool write_all(int socket, iovec* pieces, size_t count) {
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = count;
  while (message.msg_iovlen != 0) {
    ssize_t written = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (written < 0) {
      if (errno == EAGAIN) {
        pollfd room{socket, POLLOUT, 0};
        poll(&room, 1, -1);
      } else if (errno ==
                 EFAULT) { // where userfaultfd serves user code only, the kernel cannot fetch another node's page
        touch(message.msg_iov, message.msg_iovlen);
      } else if (errno != EINTR) {
        return false;
      }
      continue;
    }
    while (message.msg_iovlen != 0 && size_t(written) >= message.msg_iov->iov_len) {
      written -= ssize_t(message.msg_iov->iov_len);
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen != 0) {
      message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + written;
      message.msg_iov->iov_len -= size_t(written);
    }
  }
  return true;
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
  self_ = self;
  watch_ = watch;
  connected_ = monotonic_ns();
  poll_set_ = above_standard_streams(epoll_create1(EPOLL_CLOEXEC));
  if (poll_set_ < 0)
    die(failure, "no descriptor to wait for messages: %s", strerrordesc_np(errno));
  outgoing_ = std::vector<Outgoing>(sockets.size());
  peers_.resize(sockets.size());
  for (uint32_t node = 0; node < sockets.size(); ++node) {
    SocketPair out = sockets[node];
    SocketPair in = out;
    if (node == self) {
      // To itself through the kernel, too: what the program's threads send is then like anything else that comes.
      for (size_t lane = 0; lane < 2; ++lane) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
          die(failure, "no sockets for a node's messages to itself: %s", strerrordesc_np(errno));
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
    die(failure, "cannot wait for messages of node %u: %s", from, strerrordesc_np(errno));
}

void TcpTransport::send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                        const void* data, size_t data_bytes) {
  static constexpr uint8_t filling[frame_alignment] = {};
  const size_t fill = frame_bytes(data_bytes) - sizeof(SlotHeader) - data_bytes;
  SlotHeader header = header_of(channel, message, message_bytes, data_bytes);
  Outgoing& out = outgoing_[to];
  const bool sealed = lane == Lane::Service ? out.service_seal != nullptr : out.anyone_seal != nullptr;
  if (!sealed) // what a cipher carries, it protects
    set_checks(header, data);
  iovec pieces[3] = {
      {&header, sizeof header}, {const_cast<void*>(data), data_bytes}, {const_cast<uint8_t*>(filling), fill}};
  if (lane == Lane::Service) {
    if (!peers_[to].open)
      return;
    const bool large = data_bytes >= send_through_bytes;
    if (large && !out.service_seal) {
      send_through(out, pieces, 3);
      return;
    }
    gather(out, pieces, 3);
    if (large)
      flush(to);
    return;
  }
  std::lock_guard guard(out.anyone_lock);
  if (!out.anyone_seal) {
    write_all(out.anyone, pieces, 3); // that a connection has ended is noticed by its reader
    return;
  }
  out.anyone_seal->add(pieces, 3);
  iovec records{out.anyone_seal->records().data(), out.anyone_seal->records().size()};
  write_all(out.anyone, &records, 1);
  out.anyone_seal->records().clear();
}

void TcpTransport::gather(Outgoing& out, const iovec* pieces, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const uint8_t*>(pieces[i].iov_base);
    out.gathered.insert(out.gathered.end(), bytes, bytes + pieces[i].iov_len);
  }
}

/// Behind what is gathered; what the socket does not take now is gathered, too.
void TcpTransport::send_through(Outgoing& out, const iovec* pieces, size_t count) {
  iovec all[4] = {{out.gathered.data() + out.sent, out.gathered.size() - out.sent}};
  std::copy(pieces, pieces + count, all + 1);
  msghdr message{};
  message.msg_iov = all;
  message.msg_iovlen = count + 1;
  ssize_t written = sendmsg(out.service, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  size_t left = written < 0 ? 0 : size_t(written); // an error is found again by flush()
  for (iovec& piece : std::span(all, count + 1)) {
    const size_t taken = std::min(left, piece.iov_len);
    piece.iov_base = static_cast<uint8_t*>(piece.iov_base) + taken;
    piece.iov_len -= taken;
    left -= taken;
  }
  out.sent = out.gathered.size() - all[0].iov_len;
  if (out.sent == out.gathered.size()) {
    out.gathered.clear(); // keeps its memory
    out.sent = 0;
  }
  gather(out, all + 1, count);
}

bool TcpTransport::has_room(uint32_t to) { return outgoing_[to].waiting_bytes() < unsent_bytes; }

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
  incoming.filled(size_t(bytes));
  const Clock now = monotonic_ns();
  const uint64_t frames_before = incoming.frames;
  peers_[incoming.from].heard = now;
  if (incoming.records)
    open_records(incoming, handle, messages);
  else
    give_messages(incoming, handle, messages);
  note_part(incoming, frames_before, now);
  return true;
}

void TcpTransport::note_part(Incoming& incoming, uint64_t frames_before, Clock now) {
  const bool is_part = incoming.socket >= 0 && incoming.has_part(), was_part = incoming.part_since != not_yet;
  parts_ += size_t(is_part) - size_t(was_part);
  if (!is_part)
    incoming.part_since = not_yet;
  else if (!was_part || incoming.frames != frames_before)
    incoming.part_since = now;
}

void TcpTransport::give_messages(Incoming& incoming, const Handle& handle, size_t& messages) {
  FrameReader& reader = *incoming.reader;
  while (const auto slot = reader.next()) {
    ++incoming.frames;
    if (slot->header.channel == Channel::Control && slot->header.header_bytes == no_message)
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

bool TcpTransport::flush(uint32_t to) {
  Outgoing& out = outgoing_[to];
  std::vector<uint8_t>& bytes = out.to_write();
  while (out.sent < bytes.size()) {
    const ssize_t written =
        ::send(out.service, bytes.data() + out.sent, bytes.size() - out.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN)
      return true;
    if (written < 0)
      break; // that the connection has ended is noticed by its reader
    out.sent += size_t(written);
  }
  bytes.clear(); // keeps its memory
  out.sent = 0;
  return false;
}

bool TcpTransport::flush() {
  bool left = false;
  for (uint32_t to = 0; to < outgoing_.size(); ++to)
    if (outgoing_[to].waiting_bytes() != 0)
      left |= flush(to);
  return left;
}

void TcpTransport::lose(uint32_t node, std::string reason, bool changed) {
  Peer& peer = peers_[node];
  if (!peer.lost) {
    peer.lost = true;
    peer.reason = std::move(reason);
    peer.changed = changed;
  }
  for (Incoming& incoming : incoming_)
    if (incoming.from == node && incoming.socket >= 0)
      stop_reading(incoming);
  if (!changed)
    shut_down(node);
}

void TcpTransport::shut_down(uint32_t node) {
  peers_[node].open = false;
  outgoing_[node].drop();
  // Left open, because another thread may just be writing; but nobody who waits for room there waits any longer.
  for (const int socket : {outgoing_[node].service, outgoing_[node].anyone})
    shutdown(socket, SHUT_RDWR);
}

std::optional<Transport::Loss> TcpTransport::find_loss() {
  if (watch_ != Watch::Nobody || parts_ != 0) {
    const Clock now = monotonic_ns();
    // Who was stopped itself, in a debugger or with its whole machine, knows nothing of the others' silence.
    if (now - last_look_ > patience_ns_ / 2) {
      connected_ = now;
      for (Peer& peer : peers_)
        peer.heard = peer.heard == not_yet ? not_yet : now;
      for (Incoming& incoming : incoming_)
        incoming.part_since = incoming.part_since == not_yet ? not_yet : now;
    }
    last_look_ = now;
    if (watch_ != Watch::Nobody)
      give_signs_of_life(now);
    if (watch_ == Watch::Silence)
      find_silent(now);
    if (parts_ != 0)
      find_parts(now);
  }
  for (uint32_t node = 0; node < peers_.size(); ++node) {
    Peer& peer = peers_[node];
    if (peer.lost && peer.told && peer.open)
      shut_down(node);
    if (peer.lost && !peer.told) {
      peer.told = true;
      return Loss{node, peer.reason, peer.changed};
    }
  }
  return {};
}

void TcpTransport::find_silent(Clock now) {
  for (uint32_t node = 0; node < peers_.size(); ++node) {
    Peer& peer = peers_[node];
    const bool has_spoken = peer.heard != not_yet;
    const Clock silence = now - (has_spoken ? peer.heard : connected_);
    if (node == self_ || peer.lost ||
        silence <= (has_spoken ? patience_ns_ : std::max(start_patience_ns, patience_ns_)))
      continue;
    if (is_stopped_(node))
      peer.heard = now;
    else
      lose(node, "nothing came from it for " + std::to_string(silence / second_ns) + " s");
  }
}

/// What began to come was sent in one piece: the rest has been lost, or its length has changed.
void TcpTransport::find_parts(Clock now) {
  for (const Incoming& incoming : incoming_)
    if (incoming.part_since != not_yet && now - incoming.part_since > patience_with_messages_ns_ &&
        !is_stopped_(incoming.from))
      lose(incoming.from,
           "a message from it has not ended for " + std::to_string((now - incoming.part_since) / second_ns) + " s",
           true);
}

void TcpTransport::give_signs_of_life(Clock now) {
  if (now < next_sign_)
    return;
  next_sign_ = now + sign_interval_ns;
  for (uint32_t node = 0; node < peers_.size(); ++node)
    if (node != self_ && !peers_[node].lost)
      send(node, Lane::Service, Channel::Control, nullptr, no_message, nullptr, 0);
}

int64_t TcpTransport::longest_sleep_ns() const {
  if (watch_ == Watch::Nobody && parts_ == 0)
    return -1;
  return std::min(sign_interval_ns, patience_ns_ / 4); // well below what find_loss() takes for having been stopped
}

} // namespace hetmp::dsm
