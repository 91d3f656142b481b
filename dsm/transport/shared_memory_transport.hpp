// Messages between the node processes of one machine: rings in shared memory and a doorbell for each node.
//
// What does not fit into a ring is kept in private memory and follows later: nobody waits for room.
//
// No lost wake-up: a receiver announces sleep, then (after a seq_cst fence) looks into its rings once more, and whether
// a thread here has kept a message since the last flush(), then sleeps on its doorbell; a sender publishes, or keeps,
// then (after a seq_cst fence) reads the announcement. In the total order of these fences either the receiver's look
// comes after the publication and finds it, or the sender's read comes after the announcement and rings.
#pragma once

#include "dsm/transport/ring.hpp"
#include "dsm/transport/transport.hpp"

#include <list>
#include <mutex>
#include <vector>

namespace hetmp::dsm {

class SharedMemoryTransport final : public Transport {
 public:
  /// Maps the rings and makes the doorbells.
  void prepare(uint32_t nodes) override;
  void join(const Place& place) override { node_ = place.node; }
  void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes) override;
  bool has_room(uint32_t to) override;
  size_t receive(const Handle& handle) override;
  bool flush() override;
  bool prepare_sleep() override;
  void awake(bool rung) override;
  bool has_messages() override { return anything_arrived(); }
  int doorbell() const override { return peers_[node_].doorbell; }

 private:
  struct Peer {
    int doorbell = -1;
  };
  struct Shared; // see the .cpp
  struct Waiting {
    SlotHeader header;
    std::vector<uint8_t> data;
  };
  struct Outbox {
    std::mutex lock; ///< guards the producer side of the ring and `waiting`
    std::list<Waiting> waiting;
    std::list<Waiting> sent; ///< to be destroyed by the next sender: see flush()
  };

  /// In any ring to this node.
  bool anything_arrived() const;
  Ring& ring_of(uint32_t from, uint32_t to, Lane lane) const {
    return rings_[(size_t(from) * nodes_ + to) * 2 + size_t(lane)];
  }
  std::atomic<uint32_t>& asleep(uint32_t node) const;
  void ring_doorbell(uint32_t node);
  size_t receive(uint32_t from, Lane lane, const Handle& handle);
  bool flush(uint32_t to, Lane lane);

  uint32_t nodes_ = 1;
  uint32_t node_ = 0;
  std::vector<Peer> peers_;
  Ring* rings_ = nullptr;
  Shared* shared_ = nullptr;
  std::vector<Outbox> outboxes_;               ///< [to * 2 + lane]
  bool unsent_ = false;                        ///< service thread: what flush() has returned last
  std::atomic<bool> anything_waiting_ = false; ///< in an outbox: whether flush() is to look; released by send()
};

} // namespace hetmp::dsm
