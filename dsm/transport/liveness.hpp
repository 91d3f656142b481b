// Which nodes are lost, for transports between processes that may fall silent: each service thread sends a sign of life
// every second, whatever the threads of its program do, so a slow node is not taken for a lost one. The service
// thread's.
#pragma once

#include "dsm/transport/transport.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hetmp::dsm {

class Liveness {
 public:
  using Clock = int64_t; ///< CLOCK_MONOTONIC, nanoseconds

  /// All nodes have been connected.
  void begin(uint32_t self, uint32_t nodes, Transport::Watch watch, Clock now);
  /// How long a node may be silent that is watched.
  void set_patience(int64_t nanoseconds) { patience_ns_ = nanoseconds; }
  void set_is_stopped(std::function<bool(uint32_t node)> is_stopped) { is_stopped_ = std::move(is_stopped); }

  /// A control message with nothing in it, which is not passed on.
  static bool is_sign(const SlotHeader& header) {
    return header.channel == Channel::Control && header.header_bytes == 0;
  }

  void heard(uint32_t node, Clock now) { peers_[node].heard = now; }
  /// False: it was lost before.
  bool lose(uint32_t node, std::string reason, bool changed = false);
  bool is_lost(uint32_t node) const { return peers_[node].lost; }
  bool is_told(uint32_t node) const { return peers_[node].told; }
  bool watches() const { return watch_ != Transport::Watch::Nobody; }
  bool is_stopped(uint32_t node) const { return is_stopped_(node); }

  /// Whether this node was stopped itself, in a debugger or with its whole machine: then it knows nothing of the
  /// others' silence, and has forgotten it.
  bool was_stopped(Clock now);
  /// Whether signs of life are to be sent now, to all that are not lost.
  bool is_sign_due(Clock now);
  /// Loses those that are silent for too long, by lose(node, reason).
  void find_silent(Clock now, const std::function<void(uint32_t node, std::string reason)>& lose);
  /// A node that was found lost, each one once.
  std::optional<Transport::Loss> take_loss();
  /// Between two looks, at most; where nobody watches none is needed.
  int64_t look_interval_ns() const;

 private:
  /// A node whose program is still being loaded has nothing to say.
  static constexpr Clock not_yet = 0;
  struct Peer {
    Clock heard = not_yet; ///< when something came last
    bool lost = false;
    bool told = false; ///< take_loss() has given it
    bool changed = false;
    std::string reason;
  };

  uint32_t self_ = 0;
  Transport::Watch watch_ = Transport::Watch::Nobody;
  std::function<bool(uint32_t)> is_stopped_ = [](uint32_t) { return false; };
  Clock connected_ = 0;
  Clock patience_ns_ = Transport::usual_patience_ns;
  Clock next_sign_ = 0;
  Clock last_look_ = 0;
  std::vector<Peer> peers_;
};

} // namespace hetmp::dsm
