// A node's part in turns (dsm/turns/turn_taker.hpp): what is measured goes in, pages are kept and messages sent.
#pragma once

#include "dsm/engine/page_engine.hpp"
#include "dsm/engine/service_client.hpp"
#include "dsm/turns/outside_waits.hpp"
#include "dsm/turns/turn_order.hpp"
#include "dsm/turns/turn_taker.hpp"

#include <cstdint>
#include <optional>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class Turns {
 public:
  explicit Turns(PageEngine& engine) : engine_(engine) {}

  /// Before the first fault. A node that does not want turns asks for none. `fetches`: pages may come before threads
  /// wait for them.
  void enable(bool wanted, bool fetches) {
    wanted_ = wanted;
    fetches_ = fetches;
  }
  /// Before there is a service thread.
  void set_up(uint32_t node, ServiceClient& client);

  /// Any thread tells it.
  OutsideWaits& outside() { return outside_; }

  /// Does what there is to do now.
  void look();
  /// Nanoseconds until there may be something to do although nothing happens.
  std::optional<int64_t> until_look() const;
  /// A TurnMessage of a node, perhaps this one. False if it cannot be one.
  bool message(uint32_t from, uint64_t step);

 private:
  void begin();

  PageEngine& engine_;
  ServiceClient* client_ = nullptr;
  uint32_t node_ = origin;
  bool wanted_ = true, fetches_ = true;
  OutsideWaits outside_;
  std::optional<TurnTaker> taker_; ///< from set_up() on
  TurnOrder order_;                ///< at the origin
};

} // namespace hetmp::dsm
