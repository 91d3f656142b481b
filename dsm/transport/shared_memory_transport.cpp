#include "dsm/transport/shared_memory_transport.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"
#include "dsm/transport/doorbell.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace hetmp::dsm {

struct SharedMemoryTransport::Shared {
  struct alignas(64) Flag {
    /// seq_cst: announces sleep, before the look into the rings; pairs with the fence in ring_doorbell(). relaxed when
    /// it is taken back: who sees it late rings once in vain.
    std::atomic<uint32_t> asleep;
  };
  alignas(page_bytes) Flag node[most_nodes];
};

std::atomic<uint32_t>& SharedMemoryTransport::asleep(uint32_t node) const { return shared_->node[node].asleep; }

void SharedMemoryTransport::prepare(uint32_t nodes) {
  HETMP_CHECK(nodes >= 1 && nodes <= most_nodes && !shared_); // once
  nodes_ = nodes;
  const size_t bytes = sizeof(Shared) + sizeof(Ring) * nodes * nodes * 2;
  // Anonymous and inherited: it has no name, so nothing is left behind whatever ends the processes.
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    die(exit_code::software, "no memory for %u nodes' message rings: %s", nodes, strerrordesc_np(errno));
  shared_ = static_cast<Shared*>(memory);
  rings_ = reinterpret_cast<Ring*>(static_cast<char*>(memory) + sizeof(Shared));
  peers_.resize(nodes);
  outboxes_ = std::vector<Outbox>(nodes * 2);
  for (Peer& peer : peers_) {
    peer.doorbell = above_standard_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (peer.doorbell < 0)
      die(exit_code::software, "no event descriptor for a node: %s", strerrordesc_np(errno));
  }
}

void SharedMemoryTransport::ring_doorbell(uint32_t node) {
  std::atomic_thread_fence(std::memory_order_seq_cst); // see the header: orders publication before this read
  // Whoever sees the announcement rings; it is not for the ringer to take it back. Between taking it back and ringing,
  // a thread of the program may fault on its own stack or on its thread-local variables, and the message that asks for
  // that page could then no longer wake the sleeper. That some bells ring twice does no harm.
  if (asleep(node).load(std::memory_order_relaxed)) // ordered by the fence
    wake(peers_[node].doorbell);
}

void SharedMemoryTransport::send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                                 const void* data, size_t data_bytes) {
  HETMP_CHECK(to < nodes_ && message_bytes <= sizeof SlotHeader::message && data_bytes <= most_data_bytes);
  const SlotHeader header = make_header(channel, message, message_bytes, data_bytes);
  Outbox& outbox = outboxes_[to * 2 + size_t(lane)];
  bool kept = false;
  {
    std::lock_guard guard(outbox.lock);
    outbox.sent.clear();
    Ring& ring = ring_of(node_, to, lane);
    const Ring::Place place = outbox.waiting.empty() ? ring.reserve(data_bytes) : Ring::Place{};
    if (place.header) {
      *place.header = header;
      if (data_bytes)
        memcpy(place.data, data, data_bytes);
      ring.publish();
    } else {
      Waiting waiting{header, {}};
      waiting.data.assign(static_cast<const uint8_t*>(data), static_cast<const uint8_t*>(data) + data_bytes);
      outbox.waiting.push_back(std::move(waiting));
      anything_waiting_.store(true, std::memory_order_release); // pairs with the acquire in flush()
      kept = true;
    }
  }
  ring_doorbell(to);
  if (kept && lane == Lane::Anyone)
    ring_doorbell(node_); // this node's service thread takes care of the rest
}

/// The lane's outbox is the service thread's own: nobody else holds its lock.
bool SharedMemoryTransport::has_room(uint32_t to) {
  HETMP_CHECK(to < nodes_);
  Outbox& outbox = outboxes_[to * 2 + size_t(Lane::Service)];
  if (!outbox.waiting.empty())
    return false;
  Ring& ring = ring_of(node_, to, Lane::Service);
  if (ring.reserve(most_data_bytes).header)
    return true;
  ring.wish_for_room();
  return ring.reserve(most_data_bytes).header != nullptr;
}

size_t SharedMemoryTransport::receive(const Handle& handle) {
  size_t count = 0;
  for (uint32_t from = 0; from < nodes_; ++from)
    for (Lane lane : {Lane::Service, Lane::Anyone})
      count += receive(from, lane, handle);
  return count;
}

size_t SharedMemoryTransport::receive(uint32_t from, Lane lane, const Handle& handle) {
  Ring& ring = ring_of(from, node_, lane);
  size_t count = 0;
  // At most one round of the ring: a busy sender must not starve the others.
  for (const uint64_t begin = ring.taken(); ring.taken() - begin < Ring::slots && !ring.empty(); ++count) {
    handle(from, ring.front());
    ring.release();
    if (ring.takes_wish())
      wake(peers_[from].doorbell);
  }
  return count;
}

bool SharedMemoryTransport::flush(uint32_t to, Lane lane) {
  Outbox& outbox = outboxes_[to * 2 + size_t(lane)];
  // The service thread never waits for a lock: whoever holds it may be waiting for a page that only we can bring.
  std::unique_lock guard(outbox.lock, std::try_to_lock);
  if (!guard)
    return true;
  bool sent = false;
  while (!outbox.waiting.empty()) {
    Ring& ring = ring_of(node_, to, lane);
    const Waiting& waiting = outbox.waiting.front();
    HETMP_CHECK(waiting.data.size() == waiting.header.data_bytes);
    const Ring::Place place = ring.reserve(waiting.data.size());
    if (!place.header)
      break;
    *place.header = waiting.header;
    if (!waiting.data.empty())
      memcpy(place.data, waiting.data.data(), waiting.data.size());
    ring.publish();
    // Memory of a program's thread: freeing it could wait for that thread's allocator, which may wait for us.
    outbox.sent.splice(outbox.sent.end(), outbox.waiting, outbox.waiting.begin());
    sent = true;
  }
  if (sent)
    ring_doorbell(to);
  return !outbox.waiting.empty();
}

bool SharedMemoryTransport::flush() {
  // acquire: pairs with the release in send(). What waits itself is guarded by its outbox's lock.
  if (!anything_waiting_.exchange(false, std::memory_order_acq_rel))
    return unsent_ = false;
  bool left = false;
  for (uint32_t to = 0; to < nodes_; ++to)
    for (Lane lane : {Lane::Service, Lane::Anyone})
      left |= flush(to, lane);
  if (left)
    anything_waiting_.store(true, std::memory_order_release); // for the next flush(), by this same thread
  return unsent_ = left;
}

bool SharedMemoryTransport::prepare_sleep() {
  asleep(node_).store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the fence in ring_doorbell(); see the header
  // What flush() could not send has a time limit of the sleep's; what a thread has kept since then would have none.
  // relaxed: ordered by the fences
  const bool kept = !unsent_ && anything_waiting_.load(std::memory_order_relaxed);
  if (kept || anything_arrived()) {
    awake(false);
    return false;
  }
  return true;
}

bool SharedMemoryTransport::anything_arrived() const {
  for (uint32_t from = 0; from < nodes_; ++from)
    for (Lane lane : {Lane::Service, Lane::Anyone})
      if (!ring_of(from, node_, lane).empty())
        return true;
  return false;
}

void SharedMemoryTransport::awake(bool rung) {
  asleep(node_).store(0, std::memory_order_relaxed); // relaxed: who sees it late rings once in vain
  if (!rung)
    return; // a ring that comes now ends the next sleep early, no more
  uint64_t count;
  [[maybe_unused]] ssize_t bytes = read(peers_[node_].doorbell, &count, sizeof count);
}

} // namespace hetmp::dsm
