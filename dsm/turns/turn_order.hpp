// Who has the turn (turn_taker.hpp): one node at a time, first come, first served. Of the origin; pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace hetmp::dsm {

/// What nodes tell each other about it.
enum class TurnMessage : uint8_t {
  Asked, ///< to the origin: I want the turn
  Over,  ///< to the origin: I give it back
  Yours, ///< by the origin: the turn is yours
};

class TurnOrder {
 public:
  /// The node asks for the turn. Returns whose turn begins now, if one does.
  std::optional<uint32_t> asked(uint32_t node) {
    if (whose_ == node || is_queued(node)) // no correct node asks twice
      return {};
    queue_.push_back(node);
    return whose_ ? std::nullopt : next();
  }
  /// Likewise; the node gives the turn back.
  std::optional<uint32_t> over(uint32_t node) {
    if (whose_ != node)
      return {};
    whose_.reset();
    return next();
  }

 private:
  bool is_queued(uint32_t node) const {
    for (const uint32_t one : queue_)
      if (one == node)
        return true;
    return false;
  }
  std::optional<uint32_t> next() {
    if (queue_.empty())
      return {};
    whose_ = queue_.front();
    queue_.pop_front();
    return whose_;
  }

  std::optional<uint32_t> whose_;
  std::deque<uint32_t> queue_;
};

} // namespace hetmp::dsm
