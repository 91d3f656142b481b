// Messages between the node processes of one machine: rings in shared memory and a doorbell for each node.
//
// Two lanes lead from each node to each other: one is fed by the node's service thread only, the other by any thread
// (under a lock). Both are emptied by the receiver's service thread. A sender never waits for a receiver: what does not
// fit is kept in private memory and follows later, so two service threads cannot wait for each other.
//
// No lost wake-up: a receiver announces sleep (seq_cst store), then looks into its rings once more, then sleeps on its
// doorbell; a sender publishes, then (after a seq_cst fence) reads the announcement. In the total order of these either
// the receiver's look comes after the publication and finds it, or the sender's read comes after the announcement and rings.
#pragma once

#include "dsm/node/ring.hpp"

#include <list>
#include <mutex>
#include <vector>

namespace hetmp::dsm {

class SharedMemoryTransport {
public:
  /// Before there is more than one process: maps the rings and makes the doorbells.
  void create(uint32_t nodes);
  /// In each process, once its node number is known.
  void become(uint32_t node) { node_ = node; }

  enum class Lane : uint8_t { Service, Anyone };

  /// `data` may be null. Messages of one lane to one node arrive in order.
  void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes);

  /// Service thread: calls handle(from, slot) for each waiting message of each node; returns how many there were.
  template <class Handle>
  size_t receive(Handle&& handle) {
    size_t count = 0;
    for (uint32_t from = 0; from < nodes_; ++from)
      for (Lane lane : {Lane::Service, Lane::Anyone}) {
        Ring& ring = ring_of(from, node_, lane);
        // At most one round of the ring: a busy sender must not starve the others.
        for (uint64_t i = 0; i < Ring::slots; ++i) {
          Slot* slot = ring.front();
          if (!slot)
            break;
          handle(from, *slot);
          ring.release();
          ++count;
        }
      }
    return count;
  }

  /// Service thread: sends what did not fit before. True if something still waits (for room, or for a lock that
  /// another thread holds just now: this thread never waits for one).
  bool flush();

  /// Service thread, before sleeping: announces it; false if messages are waiting (then do not sleep).
  bool prepare_sleep();
  /// Service thread, after sleeping: `rung` if the doorbell was what ended it.
  void awake(bool rung);
  int doorbell() const { return peers_[node_].doorbell; }

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

  Ring& ring_of(uint32_t from, uint32_t to, Lane lane) const {
    return rings_[(size_t(from) * nodes_ + to) * 2 + size_t(lane)];
  }
  std::atomic<uint32_t>& asleep(uint32_t node) const;
  void ring_doorbell(uint32_t node);
  bool flush(uint32_t to, Lane lane);

  uint32_t nodes_ = 1;
  uint32_t node_ = 0;
  std::vector<Peer> peers_;
  Ring* rings_ = nullptr;
  Shared* shared_ = nullptr;
  std::vector<Outbox> outboxes_; ///< [to * 2 + lane]
  std::atomic<bool> anything_waiting_ = false;
};

} // namespace hetmp::dsm
