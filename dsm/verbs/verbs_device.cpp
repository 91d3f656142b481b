#include "dsm/verbs/verbs_device.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <arpa/inet.h>

namespace hetmp::dsm {
namespace {

// A request's name: to which node, and the how manieth post to it. Completions that are no success have nothing else.
constexpr unsigned node_bits = 16;
uint64_t name_of(uint32_t node, uint64_t posts) { return posts << node_bits | node; }
uint32_t node_of(uint64_t name) { return uint32_t(name & ((uint64_t(1) << node_bits) - 1)); }
uint64_t posts_of(uint64_t name) { return name >> node_bits; }

/// Of the device's completions, taken at a time: on the stack.
constexpr size_t most_entries = 32;

constexpr const char* refused = "the device takes no more writes to it";
constexpr const char* unknown_arrival = "something else than a write has come from it";
constexpr const char* broken_queue = "the device's completions cannot be read";

} // namespace

void VerbsDevice::post(uint32_t to, const RdmaPost& post) {
  Peer& peer = peers_[to];
  if (peer.failure)
    return;
  HETMP_CHECK(post.offset + size_t(post.bytes) <= ring_bytes_ && peer.gathered < peer.chain.size());
  HETMP_CHECK(peer.posts - peer.complete < most_posts_);
  ibv_send_wr& request = peer.chain[peer.gathered];
  ibv_sge& piece = peer.pieces[peer.gathered];
  ++peer.gathered;
  ++peer.posts;
  piece.addr = reinterpret_cast<uintptr_t>(peer.staging + post.offset);
  piece.length = post.bytes;
  request.wr_id = name_of(to, peer.posts);
  request.num_sge = post.bytes != 0 ? 1 : 0; // an element of no bytes stands for 2 GiB with some devices
  request.imm_data = htonl(post.immediate);
  request.wr.rdma.remote_addr = peer.ring + post.offset;
  request.send_flags = (post.reports ? unsigned(IBV_SEND_SIGNALED) : 0U) |
                       (post.bytes != 0 && post.bytes <= peer.most_inline ? unsigned(IBV_SEND_INLINE) : 0U);
}

bool VerbsDevice::flush(uint32_t to) {
  Peer& peer = peers_[to];
  if (peer.failure || peer.gathered == 0)
    return !peer.failure;
  ibv_send_wr& last = peer.chain[peer.gathered - 1];
  ibv_send_wr* const next = last.next;
  ibv_send_wr* rest = nullptr;
  last.next = nullptr;
  const int error = ibv_post_send(peer.pair.get(), peer.chain.data(), &rest);
  last.next = next;
  peer.gathered = 0;
  if (error != 0)
    fail(peer, refused);
  return error == 0;
}

void VerbsDevice::fail(Peer& peer, const char* reason) {
  if (peer.failure)
    return;
  peer.failure = reason;
  peer.gathered = 0;
  ++untold_;
}

bool VerbsDevice::put_back(uint32_t node, uint32_t receives) {
  if (receives == 0)
    return true;
  for (uint32_t i = 0; i < receives; ++i)
    receives_[i].wr_id = node;
  ibv_recv_wr& last = receives_[receives - 1];
  ibv_recv_wr* const next = last.next;
  ibv_recv_wr* rest = nullptr;
  last.next = nullptr;
  const int error = ibv_post_recv(peers_[node].pair.get(), receives_.data(), &rest);
  last.next = next;
  return error == 0;
}

/// Nothing for what follows a failure that has been told, or is one.
std::optional<RdmaCompletion> VerbsDevice::completion_of(const ibv_wc& entry) {
  RdmaCompletion completion;
  completion.node = node_of(entry.wr_id);
  Peer& peer = peers_[completion.node];
  if (peer.told)
    return {};
  if (entry.status != IBV_WC_SUCCESS) {
    fail(peer, ibv_wc_status_str(entry.status));
    return {};
  }
  if (entry.opcode == IBV_WC_RDMA_WRITE) {
    completion.kind = RdmaCompletion::Kind::Sent;
    completion.posts = peer.complete = posts_of(entry.wr_id);
    return completion;
  }
  if (entry.opcode != IBV_WC_RECV_RDMA_WITH_IMM) {
    fail(peer, unknown_arrival);
    return {};
  }
  ++peer.taken;
  completion.immediate = ntohl(entry.imm_data);
  completion.bytes = entry.byte_len;
  return completion;
}

size_t VerbsDevice::tell_failures(std::span<RdmaCompletion> completions) {
  size_t count = 0;
  for (uint32_t node = 0; node < peers_.size() && untold_ != 0 && count < completions.size(); ++node) {
    Peer& peer = peers_[node];
    if (!peer.failure || peer.told)
      continue;
    peer.told = true;
    --untold_;
    completions[count] = {};
    completions[count].kind = RdmaCompletion::Kind::Failed;
    completions[count].node = node;
    completions[count].reason = peer.failure;
    ++count;
  }
  return count;
}

size_t VerbsDevice::poll(std::span<RdmaCompletion> completions) {
  size_t count = 0;
  bool empty = false;
  while (count < completions.size() && !empty) {
    ibv_wc entries[most_entries];
    const size_t wanted = std::min(completions.size() - count, most_entries);
    const int got = ibv_poll_cq(queue_.get(), int(wanted), entries);
    empty = got < int(wanted);
    for (int i = 0; i < got; ++i)
      if (const auto completion = completion_of(entries[i]))
        completions[count++] = *completion;
    if (got < 0)
      for (Peer& peer : peers_)
        if (peer.pair)
          fail(peer, broken_queue);
  }
  for (size_t i = 0; i < count; ++i) {
    Peer& peer = peers_[completions[i].node];
    if (peer.taken != 0 && !put_back(completions[i].node, peer.taken))
      fail(peer, refused);
    peer.taken = 0;
  }
  // What came from it before is told first.
  if (empty && untold_ != 0)
    count += tell_failures(completions.subspan(count));
  return count;
}

void VerbsDevice::arm() {
  if (ibv_req_notify_cq(queue_.get(), 0) != 0)
    for (Peer& peer : peers_)
      if (peer.pair)
        fail(peer, broken_queue);
}

void VerbsDevice::acknowledge() {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  unsigned events = 0;
  while (ibv_get_cq_event(channel_.get(), &queue, &context) == 0)
    ++events;
  if (events != 0)
    ibv_ack_cq_events(queue_.get(), events);
}

/// What ends one connection comes as a completion, too. A port may come back in time: the device tries again.
std::optional<std::string> VerbsDevice::take_event() {
  ibv_async_event event{};
  while (ibv_get_async_event(context_.get(), &event) == 0) {
    const ibv_event_type type = event.event_type;
    ibv_ack_async_event(&event);
    if (type == IBV_EVENT_DEVICE_FATAL || type == IBV_EVENT_CQ_ERR)
      return port_.device + ": " + ibv_event_type_str(type);
  }
  return {};
}

} // namespace hetmp::dsm
