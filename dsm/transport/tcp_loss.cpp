// How a TCP transport finds that a node is lost: its connection has ended, it is silent, or what comes from it is not
// what was sent.
#include "base/clock.hpp"
#include "dsm/transport/tcp_transport.hpp"

#include <algorithm>
#include <string>
#include <sys/socket.h>

namespace hetmp::dsm {
namespace {

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t sign_interval_ns = second_ns;
/// With a node that has been connected and has its program still to load. Less than the origin waits for all to join:
/// its line would not name the node.
constexpr int64_t start_patience_ns = 25 * second_ns;

} // namespace

void TcpTransport::note_part(Incoming& incoming, uint64_t frames_before, Clock now) {
  const bool is_part = incoming.socket >= 0 && incoming.has_part(), was_part = incoming.part_since != not_yet;
  parts_ += size_t(is_part) - size_t(was_part);
  if (!is_part)
    incoming.part_since = not_yet;
  else if (!was_part || incoming.frames != frames_before)
    incoming.part_since = now;
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
      send(node, Lane::Service, Channel::Control, nullptr, 0, nullptr, 0);
}

int64_t TcpTransport::longest_sleep_ns() const {
  if (watch_ == Watch::Nobody && parts_ == 0)
    return -1;
  return std::min(sign_interval_ns, patience_ns_ / 4); // well below what find_loss() takes for having been stopped
}

} // namespace hetmp::dsm
