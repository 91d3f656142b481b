#include "dsm/transport/liveness.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t sign_interval_ns = second_ns;
/// With a node that has been connected and has its program still to load. Less than the origin waits for all to join:
/// its line would not name the node.
constexpr int64_t start_patience_ns = 25 * second_ns;

} // namespace

void Liveness::begin(uint32_t self, uint32_t nodes, Transport::Watch watch, Clock now) {
  self_ = self;
  watch_ = watch;
  connected_ = now;
  peers_.resize(nodes);
}

bool Liveness::lose(uint32_t node, std::string reason, bool changed) {
  Peer& peer = peers_[node];
  if (peer.lost)
    return false;
  peer.lost = true;
  peer.reason = std::move(reason);
  peer.changed = changed;
  return true;
}

bool Liveness::was_stopped(Clock now) {
  const bool was = now - last_look_ > patience_ns_ / 2;
  if (was) {
    connected_ = now;
    for (Peer& peer : peers_)
      peer.heard = peer.heard == not_yet ? not_yet : now;
  }
  last_look_ = now;
  return was;
}

bool Liveness::is_sign_due(Clock now) {
  if (!watches() || now < next_sign_)
    return false;
  next_sign_ = now + sign_interval_ns;
  return true;
}

void Liveness::find_silent(Clock now, const std::function<void(uint32_t, std::string)>& lose) {
  if (watch_ != Transport::Watch::Silence)
    return;
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

std::optional<Transport::Loss> Liveness::take_loss() {
  for (uint32_t node = 0; node < peers_.size(); ++node) {
    Peer& peer = peers_[node];
    if (peer.lost && !peer.told) {
      peer.told = true;
      return Transport::Loss{node, peer.reason, peer.changed};
    }
  }
  return {};
}

int64_t Liveness::look_interval_ns() const {
  return std::min(sign_interval_ns, patience_ns_ / 4); // well below what was_stopped() takes for having been stopped
}

} // namespace hetmp::dsm
