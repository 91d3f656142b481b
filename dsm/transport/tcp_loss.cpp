// How a TCP transport finds that a node is lost: its connection has ended, it is silent, or what comes from it is not
// what was sent.
#include "base/clock.hpp"
#include "dsm/transport/tcp_transport.hpp"

#include <algorithm>
#include <string>
#include <sys/socket.h>

namespace hetmp::dsm {

void TcpTransport::note_part(Incoming& incoming, uint64_t frames_before, Clock now) {
  const bool is_part = incoming.socket >= 0 && incoming.has_part(), was_part = incoming.part_since != not_yet;
  parts_ += size_t(is_part) - size_t(was_part);
  if (!is_part)
    incoming.part_since = not_yet;
  else if (!was_part || incoming.frames != frames_before)
    incoming.part_since = now;
}

void TcpTransport::lose(uint32_t node, std::string reason, bool changed) {
  liveness_.lose(node, std::move(reason), changed);
  for (Incoming& incoming : incoming_)
    if (incoming.from == node && incoming.socket >= 0)
      stop_reading(incoming);
  if (!changed)
    shut_down(node);
}

void TcpTransport::shut_down(uint32_t node) {
  open_[node] = false;
  outgoing_[node].drop();
  // Left open, because another thread may just be writing; but nobody who waits for room there waits any longer.
  for (const int socket : {outgoing_[node].service, outgoing_[node].anyone})
    shutdown(socket, SHUT_RDWR);
}

std::optional<Transport::Loss> TcpTransport::find_loss() {
  if (liveness_.watches() || parts_ != 0) {
    const Clock now = monotonic_ns();
    if (liveness_.was_stopped(now))
      for (Incoming& incoming : incoming_)
        incoming.part_since = incoming.part_since == not_yet ? not_yet : now;
    if (liveness_.is_sign_due(now))
      give_signs_of_life();
    liveness_.find_silent(now, [this](uint32_t node, std::string reason) { lose(node, std::move(reason)); });
    if (parts_ != 0)
      find_parts(now);
  }
  for (uint32_t node = 0; node < open_.size(); ++node)
    if (liveness_.is_told(node) && open_[node])
      shut_down(node);
  return liveness_.take_loss();
}

/// What began to come was sent in one piece: the rest has been lost, or its length has changed.
void TcpTransport::find_parts(Clock now) {
  for (const Incoming& incoming : incoming_)
    if (incoming.part_since != not_yet && now - incoming.part_since > patience_with_messages_ns_ &&
        !liveness_.is_stopped(incoming.from))
      lose(incoming.from,
           "a message from it has not ended for " + std::to_string((now - incoming.part_since) / 1'000'000'000) + " s",
           true);
}

void TcpTransport::give_signs_of_life() {
  for (uint32_t node = 0; node < open_.size(); ++node)
    if (node != self_ && !liveness_.is_lost(node))
      send(node, Lane::Service, Channel::Control, nullptr, 0, nullptr, 0);
}

int64_t TcpTransport::longest_sleep_ns() const {
  return liveness_.watches() || parts_ != 0 ? liveness_.look_interval_ns() : -1;
}

} // namespace hetmp::dsm
