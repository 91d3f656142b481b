// What an RDMA transport does with what is to be sent.
#include "base/check.hpp"
#include "base/clock.hpp"
#include "dsm/transport/doorbell.hpp"
#include "dsm/transport/rdma/verbs_transport.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

namespace hetmp::dsm {
namespace {

/// From so much data on the device shall begin at once.
constexpr size_t start_bytes = 4 * page_bytes;

} // namespace

size_t VerbsTransport::frame_bytes(size_t data_bytes) const {
  const size_t tags = cipher_ ? seal::tag_bytes + (data_bytes != 0 ? seal::tag_bytes : 0) : 0;
  return sizeof(FrameHead) + sizeof(SlotHeader) + data_bytes + tags;
}

void VerbsTransport::send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                          const void* data, size_t data_bytes) {
  HETMP_CHECK(to < nodes_ && message_bytes <= sizeof SlotHeader::message && data_bytes <= most_data_bytes);
  const SlotHeader header = make_header(channel, message, message_bytes, data_bytes);
  if (lane == Lane::Anyone)
    return leave_for_service(to, header, data);
  const auto* const bytes = static_cast<const uint8_t*>(data);
  Peer& peer = peers_[to];
  if (!peer.open)
    return;
  // What waits goes first; so does what other threads have left, if there was no room for it.
  if (to != self_ && peer.waiting.empty() && !peer.has_left && post(to, lane, header, bytes)) {
    if (data_bytes >= start_bytes)
      flush(to);
    return;
  }
  auto& waiting = to == self_ ? own_ : peer.waiting;
  waiting.push_back({header, {bytes, bytes + data_bytes}});
}

/// Any thread but the service thread. Data is read under the lock, which that one never takes.
void VerbsTransport::leave_for_service(uint32_t to, const SlotHeader& header, const void* data) {
  Outbox& outbox = outboxes_[to];
  std::lock_guard guard(outbox.lock);
  Ring::Place place = outbox.ring->reserve(header.data_bytes);
  for (; !place.header; place = outbox.ring->reserve(header.data_bytes)) {
    constexpr timespec moment{0, 50'000};
    wake_service(); // it makes room in any case
    nanosleep(&moment, nullptr);
  }
  *place.header = header;
  if (header.data_bytes != 0)
    memcpy(place.data, data, header.data_bytes);
  outbox.ring->publish();
  anything_left_.store(true, std::memory_order_release); // pairs with the acquire in flush()
  wake_service();
}

void VerbsTransport::wake_service() {
  std::atomic_thread_fence(std::memory_order_seq_cst); // orders what was left before this read; see asleep_
  if (!asleep_.load(std::memory_order_relaxed))
    return;
  wake(bell_);
}

/// What the device has not sent when its process ends is lost.
void VerbsTransport::settle() {
  constexpr timespec moment{0, 100'000};
  constexpr int64_t longest_ns = 1'000'000'000;
  const int64_t deadline = monotonic_ns() + longest_ns;
  settling_.store(Settling::Wanted, std::memory_order_relaxed);
  while (settling_.load(std::memory_order_relaxed) != Settling::Done && monotonic_ns() < deadline) {
    wake_service();
    nanosleep(&moment, nullptr);
  }
}

/// The service thread's, for settle(). A node that takes nothing in any more has ended by itself.
bool VerbsTransport::is_settled(uint32_t to) {
  Peer& peer = peers_[to];
  if (!peer.open || peer.failed != 0)
    return true;
  if (!peer.waiting.empty() || !outboxes_[to].ring->empty())
    return false;
  if (!peer.out.tells_of_last() && peer.out.may_post()) {
    peer.out.tell_of_all();
    peer.out.posted();
    device_->post(to, {0, 0, report_mark | peer.in.tell(), true});
    device_->flush(to);
  }
  poll();
  return peer.out.is_complete();
}

bool VerbsTransport::has_room(uint32_t to) {
  HETMP_CHECK(to < nodes_);
  Peer& peer = peers_[to];
  if (to == self_ || !peer.open)
    return true;
  if (!peer.waiting.empty() || peer.has_left)
    return false;
  const size_t largest = frame_bytes(most_data_bytes);
  if (!peer.out.place(largest))
    poll(); // there may be credit
  return peer.out.place(largest).has_value();
}

/// False: there is no room yet.
bool VerbsTransport::post(uint32_t to, Lane lane, const SlotHeader& header, const uint8_t* data) {
  Peer& peer = peers_[to];
  const size_t bytes = frame_bytes(header.data_bytes);
  const auto offset = peer.out.place(bytes);
  if (!offset)
    return false;
  HETMP_CHECK(*offset % ring_unit == 0 && *offset + bytes <= ring_bytes_);
  const FrameHead head{peer.in.tell(), header.data_bytes, lane, {}};
  uint8_t* const at = memory_ + (nodes_ + to) * ring_bytes_ + *offset;
  if (peer.sealing)
    write_sealed(*peer.sealing, at, head, header, data);
  else
    write_open(at, head, header, data);
  const bool reports = peer.out.takes_report(bytes);
  peer.out.sent(bytes);
  device_->post(to, {*offset, uint32_t(bytes), *offset / ring_unit, reports});
  peer.has_posted = true;
  return true;
}

void VerbsTransport::write_open(uint8_t* at, const FrameHead& head, const SlotHeader& header, const uint8_t* data) {
  memcpy(at, &head, sizeof head);
  memcpy(at + sizeof head, &header, sizeof header);
  if (header.data_bytes != 0)
    memcpy(at + sizeof head + sizeof header, data, header.data_bytes);
}

void VerbsTransport::write_sealed(Sealing& sealing, uint8_t* at, const FrameHead& head, const SlotHeader& header,
                                  const uint8_t* data) {
  const uint8_t* const key = sealing.keys.send.data();
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  cipher_->seal(key, sealing.sent, &head, sizeof head, &header, sizeof header, at);
  if (header.data_bytes != 0)
    cipher_->seal(key, sealing.sent + 1, nullptr, 0, data, header.data_bytes, at + sizeof header + seal::tag_bytes);
  sealing.sent += 2;
}

/// Only where nothing went that way that could have told it.
void VerbsTransport::post_report(uint32_t to) {
  Peer& peer = peers_[to];
  if (!peer.in.is_report_due() || !peer.out.may_post())
    return;
  const bool reports = peer.out.takes_report(0);
  peer.out.posted();
  device_->post(to, {0, 0, report_mark | peer.in.tell(), reports});
  peer.has_posted = true;
}

/// What has waited longest, of both lanes in turns. True: something still waits.
bool VerbsTransport::post_waiting(uint32_t to) {
  Peer& peer = peers_[to];
  Ring& left = *outboxes_[to].ring;
  bool has_room = true;
  while (has_room && (!peer.waiting.empty() || !left.empty())) {
    if (!left.empty()) {
      const Slot slot = left.front();
      has_room = post(to, Lane::Anyone, slot.header, slot.data);
      if (has_room)
        left.release();
    }
    if (has_room && !peer.waiting.empty()) {
      const Waiting& waiting = peer.waiting.front();
      has_room = post(to, Lane::Service, waiting.header, waiting.data.data());
      if (has_room)
        peer.waiting.pop_front();
    }
  }
  peer.has_left = !left.empty();
  return !has_room;
}

bool VerbsTransport::flush(uint32_t to) {
  Peer& peer = peers_[to];
  if (!std::exchange(peer.has_posted, false))
    return false;
  return !device_->flush(to); // that the connection has ended is told by poll()
}

bool VerbsTransport::flush() {
  // acquire: pairs with the release in leave_for_service(). What comes later sets it again.
  const bool look = anything_left_.exchange(false, std::memory_order_acq_rel);
  bool waits = false;
  for (uint32_t to = 0; to < nodes_; ++to) {
    Peer& peer = peers_[to];
    if (to == self_)
      continue;
    if (!peer.open) { // dropped
      for (Ring& left = *outboxes_[to].ring; !left.empty(); left.release())
        left.front();
      continue;
    }
    if ((look || peer.has_left || !peer.waiting.empty()) && post_waiting(to)) {
      poll(); // there may be credit
      waits |= post_waiting(to);
    }
    post_report(to);
    flush(to);
  }
  if (settling_.load(std::memory_order_relaxed) == Settling::Wanted) {
    bool all = true;
    for (uint32_t to = 0; to < nodes_; ++to)
      all = (to == self_ || is_settled(to)) && all;
    if (all)
      settling_.store(Settling::Done, std::memory_order_relaxed);
  }
  return waits;
}

} // namespace hetmp::dsm
