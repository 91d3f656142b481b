#include "dsm/transport/rdma/verbs_transport.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"

#include <algorithm>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace hetmp::dsm {
namespace {

/// A device may tell of a failed connection before the sockets do, which know better why.
constexpr int64_t grace_ns = 300'000'000;

bool is_frame(const RdmaCompletion& completion) {
  return completion.kind == RdmaCompletion::Kind::Arrived && !(completion.immediate & report_mark);
}

} // namespace

// ---- receiving

/// Takes what the device tells as far as that needs no handle: up to the first frame, which stays in completions_.
void VerbsTransport::poll() {
  if (next_ == polled_) {
    next_ = 0;
    polled_ = device_->poll(completions_);
    HETMP_CHECK(polled_ <= completions_.size());
  }
  size_t messages = 0;
  while (next_ != polled_ && !is_frame(completions_[next_]))
    take(completions_[next_++], nullptr, messages);
}

size_t VerbsTransport::receive(const Handle& handle) {
  size_t messages = receive_own(handle);
  // As much as may be under way: a busy sender must not starve the others.
  for (size_t round = 0; round * completions_.size() < size_t(nodes_) * most_messages_; ++round) {
    poll();
    if (next_ == polled_)
      break;
    while (next_ != polled_) {
      const RdmaCompletion completion = completions_[next_++];
      take(completion, handle, messages);
    }
  }
  for (uint32_t node = 0; node < nodes_; ++node) {
    if (peers_[node].ended && next_ == polled_)
      lose(node, "its connection was closed");
    if (node != self_ && peers_[node].open && peers_[node].in.is_report_due()) {
      post_report(node);
      flush(node);
    }
  }
  return messages;
}

/// Not what is sent meanwhile.
size_t VerbsTransport::receive_own(const Handle& handle) {
  size_t messages = 0;
  for (size_t left = own_.size(); left != 0; --left, ++messages) {
    const Waiting waiting = std::move(own_.front());
    own_.pop_front();
    handle(self_, {waiting.header, waiting.data.data()});
  }
  Ring& ring = *outboxes_[self_].ring;
  for (const uint64_t begin = ring.taken(); ring.taken() - begin < Ring::slots && !ring.empty(); ++messages) {
    handle(self_, ring.front());
    ring.release();
  }
  return messages;
}

void VerbsTransport::take(const RdmaCompletion& completion, const Handle& handle, size_t& messages) {
  const uint32_t node = completion.node;
  HETMP_CHECK(node < nodes_ && node != self_);
  Peer& peer = peers_[node];
  if (!peer.open)
    return;
  bool right = true;
  switch (completion.kind) {
  case RdmaCompletion::Kind::Sent:
    right = peer.out.complete(completion.posts);
    HETMP_CHECK(right); // it is this node's own device
    break;
  case RdmaCompletion::Kind::Failed:
    if (peer.failed == 0) {
      peer.failed = monotonic_ns();
      peer.failure = completion.reason;
    }
    break;
  case RdmaCompletion::Kind::Arrived:
    liveness_.heard(node, monotonic_ns());
    if (completion.immediate & report_mark)
      right = peer.out.credit(completion.immediate & credit_mask);
    else
      right = take_frame(node, size_t(completion.immediate) * ring_unit, completion.bytes, handle, messages);
    break;
  }
  if (!right)
    lose(node,
         cipher_ ? "what came from it was changed on the way, or was not encrypted by it"
                 : "it sent what is no message",
         cipher_ != nullptr);
}

/// False: it is no message.
bool VerbsTransport::take_frame(uint32_t from, size_t offset, uint32_t bytes, const Handle& handle, size_t& messages) {
  Peer& peer = peers_[from];
  if (offset > ring_bytes_ - frame_bytes(0))
    return false;
  const uint8_t* const frame = memory_ + from * ring_bytes_ + offset;
  FrameHead head; // whoever writes there may change it after each look
  memcpy(&head, frame, sizeof head);
  if (head.data_bytes > most_data_bytes || size_t(head.lane) >= lanes || bytes != frame_bytes(head.data_bytes) ||
      bytes > ring_bytes_ - offset || !peer.in.accept(offset, bytes) || !peer.out.credit(head.credit & credit_mask))
    return false;
  SlotHeader header;
  const uint8_t* const data = open_frame(peer, head, frame + sizeof head, header);
  if (!data || !is_possible(header) || header.data_bytes != head.data_bytes)
    return false;
  if (!Liveness::is_sign(header)) {
    handle(from, {header, data});
    ++messages;
  }
  peer.in.release();
  return true;
}

/// Where its data is; null: it was not sealed by that node. Pages are used where they lie.
const uint8_t* VerbsTransport::open_frame(Peer& peer, const FrameHead& head, const uint8_t* frame, SlotHeader& header) {
  if (peer.sealing) {
    Sealing& sealing = *peer.sealing;
    const uint8_t* const key = sealing.keys.receive.data();
    const uint64_t number = std::exchange(sealing.received, sealing.received + 2);
    if (!cipher_->open(key, number, &head, sizeof head, frame, sizeof header, reinterpret_cast<uint8_t*>(&header)))
      return nullptr;
    if (head.data_bytes != 0 && !cipher_->open(key, number + 1, nullptr, 0, frame + sizeof header + seal::tag_bytes,
                                               head.data_bytes, opened_.get()))
      return nullptr;
    return opened_.get();
  }
  memcpy(&header, frame, sizeof header);
  if (header.channel == Channel::Page)
    return frame + sizeof header;
  memcpy(opened_.get(), frame + sizeof header, head.data_bytes);
  return opened_.get();
}

bool VerbsTransport::has_messages() {
  poll();
  // relaxed: who sees it late looks again
  return next_ != polled_ || !own_.empty() || !outboxes_[self_].ring->empty() ||
         anything_left_.load(std::memory_order_relaxed);
}

// ---- sleeping

bool VerbsTransport::prepare_sleep() {
  asleep_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the fence in wake_service()
  if (!armed_) {
    device_->arm();
    armed_ = true;
  }
  if (has_messages() ||
      std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.ended && peer.open; })) {
    awake(false);
    return false;
  }
  return true;
}

void VerbsTransport::awake(bool rung) {
  asleep_.store(false, std::memory_order_relaxed); // who sees it late rings once in vain
  if (!rung)
    return;
  epoll_event ready[16];
  const int count = epoll_wait(poll_set_, ready, int(std::size(ready)), 0);
  for (int i = 0; i < count; ++i)
    hear(ready[i].data.u64);
}

void VerbsTransport::hear(uint64_t what) {
  if (what == of_completions) {
    device_->acknowledge();
    armed_ = false;
  } else if (what == of_bell) {
    uint64_t rings;
    [[maybe_unused]] const ssize_t bytes = read(bell_, &rings, sizeof rings);
  } else if (what == of_events) {
    if (const auto reason = device_->take_event())
      for (uint32_t node = 0; node < nodes_; ++node)
        if (node != self_)
          lose(node, *reason);
  } else {
    HETMP_CHECK(what < nodes_);
    peers_[what].ended = true; // nothing else is ever sent there
  }
}

// ---- losses

void VerbsTransport::lose(uint32_t node, std::string reason, bool changed) {
  peers_[node].ended = false;
  liveness_.lose(node, std::move(reason), changed);
  if (!changed)
    shut_down(node);
}

void VerbsTransport::shut_down(uint32_t node) {
  Peer& peer = peers_[node];
  peer.open = false;
  peer.waiting.clear();
  for (const int socket : sockets_[node])
    shutdown(socket, SHUT_RDWR);
}

std::optional<Transport::Loss> VerbsTransport::find_loss() {
  const Clock now = monotonic_ns();
  if (liveness_.watches()) {
    liveness_.was_stopped(now);
    if (liveness_.is_sign_due(now))
      for (uint32_t node = 0; node < nodes_; ++node)
        if (node != self_ && !liveness_.is_lost(node))
          send(node, Lane::Service, Channel::Control, nullptr, 0, nullptr, 0);
    liveness_.find_silent(now, [this](uint32_t node, std::string reason) { lose(node, std::move(reason)); });
  }
  for (uint32_t node = 0; node < nodes_; ++node) {
    const Peer& peer = peers_[node];
    if (peer.open && peer.failed != 0 && now - peer.failed > grace_ns)
      lose(node, std::string("its connection broke: ") + peer.failure);
    if (liveness_.is_told(node) && peer.open)
      shut_down(node);
  }
  return liveness_.take_loss();
}

int64_t VerbsTransport::longest_sleep_ns() const {
  const auto is_failing = [](const Peer& peer) { return peer.failed != 0 && peer.open; };
  if (std::any_of(peers_.begin(), peers_.end(), is_failing))
    return grace_ns / 3;
  return liveness_.watches() ? liveness_.look_interval_ns() : -1;
}

} // namespace hetmp::dsm
