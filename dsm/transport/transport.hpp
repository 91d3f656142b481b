// How messages get from one node process to another: what the service thread and everybody who sends rely on. One
// implementation for each interconnect.
//
// Two lanes lead from each node to each other: one is fed by the node's service thread only, the other by any other
// thread. Both are emptied by the receiver's service thread. Messages of one lane to one node arrive complete and in
// order; nothing else is ordered. A node's service thread never waits here for anything, so every message that was sent
// is taken in before long, and two service threads cannot wait for each other.
#pragma once

#include "dsm/transport/slot.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace hetmp::dsm {

enum class Lane : uint8_t {
  Service, ///< of the service thread; it uses no other
  Anyone,  ///< of all other threads. Its sender may wait for room, never for the receiver's program
};

class Transport {
 public:
  using Handle = std::function<void(uint32_t from, const Slot& slot)>;
  /// A node that can no longer be reached.
  struct Loss {
    uint32_t node = 0;
    std::string reason; ///< a short phrase
    bool changed =
        false; ///< what came from it is not what was sent: until the next find_loss() it may still hear this node
  };

  virtual ~Transport() = default;

  /// In each process, once its node number is known.
  virtual void become(uint32_t node) = 0;

  /// `data` may be null; at most most_data_bytes of it. What is sent to a lost node is dropped.
  virtual void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                    const void* data, size_t data_bytes) = 0;

  // The rest is for the service thread.

  /// Whether a message of the largest size would go out now on the service lane. Everything can be sent always, but
  /// what finds no room is copied once more; who has much to send waits for room: the doorbell rings when there is
  /// some, or flush() says that it is worth trying again soon.
  virtual bool has_room(uint32_t to) = 0;

  /// Calls handle for waiting messages, of each node; returns how many there were. Slots are valid within the call.
  virtual size_t receive(const Handle& handle) = 0;
  /// Sends what was not sent before. True if something still waits: try again soon.
  virtual bool flush() = 0;

  /// Announces sleep; false if messages are waiting (then do not sleep).
  virtual bool prepare_sleep() = 0;
  /// After sleeping: `rung` if doorbell() was what ended it.
  virtual void awake(bool rung) = 0;
  /// A descriptor that is readable when a sleeper has messages.
  virtual int doorbell() const = 0;

  /// To be called after each receive(): a node that was found lost, each one once.
  virtual std::optional<Loss> find_loss() { return {}; }
  /// Nanoseconds after which find_loss() wants to be called although nothing came; negative = never.
  virtual int64_t longest_sleep_ns() const { return -1; }
};

} // namespace hetmp::dsm
