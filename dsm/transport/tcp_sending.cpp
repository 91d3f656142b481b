// What a TCP transport does with what is to be sent.
#include "base/check.hpp"
#include "base/raw_call.hpp"
#include "dsm/transport/frame_check.hpp"
#include "dsm/transport/tcp_transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace hetmp::dsm {
namespace {

/// From so much data on a copy costs more than a system call.
constexpr size_t send_through_bytes = 4 * page_bytes;
/// Less than this waits for every message now and then.
constexpr size_t unsent_bytes = size_t(32) << 10;

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

/// Waits for room, not for the receiver's program: see transport.hpp. False if the connection has ended. Not by the C
/// library's functions: see doorbell.hpp.
bool write_all(int socket, iovec* pieces, size_t count) {
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = count;
  while (message.msg_iovlen != 0) {
    ssize_t written = raw::call(SYS_sendmsg, socket, long(&message), MSG_NOSIGNAL);
    if (written < 0) {
      if (written == -EAGAIN) {
        pollfd room{socket, POLLOUT, 0};
        raw::call(SYS_poll, long(&room), 1, -1);
      } else if (written ==
                 -EFAULT) { // where userfaultfd serves user code only, the kernel cannot fetch another node's page
        touch(message.msg_iov, message.msg_iovlen);
      } else if (written != -EINTR) {
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

void TcpTransport::send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                        const void* data, size_t data_bytes) {
  static constexpr uint8_t filling[frame_alignment] = {};
  const size_t fill = frame_bytes(data_bytes) - sizeof(SlotHeader) - data_bytes;
  HETMP_CHECK(to < outgoing_.size() && message_bytes <= sizeof SlotHeader::message && data_bytes <= most_data_bytes);
  SlotHeader header = make_header(channel, message, message_bytes, data_bytes);
  Outgoing& out = outgoing_[to];
  const bool sealed = lane == Lane::Service ? out.service_seal != nullptr : out.anyone_seal != nullptr;
  if (!sealed) // what a cipher carries, it protects
    set_checks(header, data);
  iovec pieces[3] = {
      {&header, sizeof header}, {const_cast<void*>(data), data_bytes}, {const_cast<uint8_t*>(filling), fill}};
  if (lane == Lane::Service) {
    if (!open_[to])
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
  HETMP_CHECK(count < std::size(all) && out.sent <= out.gathered.size() && !out.service_seal);
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
  HETMP_CHECK(left == 0); // what the kernel took was in the pieces
  out.sent = out.gathered.size() - all[0].iov_len;
  if (out.sent == out.gathered.size()) {
    out.gathered.clear(); // keeps its memory
    out.sent = 0;
  }
  gather(out, all + 1, count);
}

bool TcpTransport::has_room(uint32_t to) { return outgoing_[to].waiting_bytes() < unsent_bytes; }

bool TcpTransport::flush(uint32_t to) {
  Outgoing& out = outgoing_[to];
  std::vector<uint8_t>& bytes = out.to_write();
  HETMP_CHECK(out.sent <= bytes.size());
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

} // namespace hetmp::dsm
