// RDMA between nodes of one process, for tests: what devices do, without one. A write lands in the other node's memory
// when it is started, and both sides hear of it later. What the real thing would answer with a failure (more arrivals
// than there are receives for, more posts than the queue holds, memory outside of what is registered) fails the test.
#pragma once

#include "dsm/rdma_plugin.hpp"
#include "dsm/transport/rdma/rdma_device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hetmp::dsm {

class SimulatedRdma final : public RdmaDevice {
 public:
  ~SimulatedRdma() override {
    {
      std::lock_guard guard(everything());
      for (uint32_t node = 0; node < peers_.size(); ++node)
        if (peers_[node].queue_pair != 0) {
          ends().erase(peers_[node].queue_pair);
          if (SimulatedRdma* const other = peers_[node].device) {
            other->peers_[demand_.self].device = nullptr;
            other->push({.kind = RdmaCompletion::Kind::Failed, .node = demand_.self, .reason = "simulated loss"});
          }
        }
    }
    close(completions_);
    close(events_);
  }

  /// Why the next device that is opened cannot be.
  static std::string& problem() {
    static std::string problem;
    return problem;
  }

  std::string open(const RdmaDemand& demand) override {
    std::lock_guard guard(everything());
    if (!problem().empty())
      return std::exchange(problem(), {});
    demand_ = demand;
    peers_.resize(demand.nodes);
    completions_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    events_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (uint32_t node = 0; node < demand.nodes; ++node)
      if (node != demand.self) {
        static uint32_t last = 0;
        peers_[node].queue_pair = ++last;
        ends()[last] = {this, node};
      }
    return {};
  }

  RdmaCard card(uint32_t peer) const override {
    RdmaCard card;
    card.queue_pair = peers_[peer].queue_pair;
    return card;
  }

  std::string connect(uint32_t peer, const RdmaCard& theirs) override {
    std::lock_guard guard(everything());
    const auto end = ends().find(theirs.queue_pair);
    if (end == ends().end() || end->second.node != demand_.self)
      return "there is no such queue pair";
    peers_[peer].device = end->second.device;
    return {};
  }

  std::string description() const override { return "simulated"; }

  void post(uint32_t to, const RdmaPost& post) override { peers_[to].posts.push_back(post); }

  bool flush(uint32_t to) override {
    std::lock_guard guard(everything());
    Peer& peer = peers_[to];
    for (const RdmaPost& post : std::exchange(peer.posts, {})) {
      ++peer.posted;
      EXPECT_LE(peer.posted - peer.complete, demand_.most_posts) << "posts";
      SimulatedRdma* const other = peer.device;
      if (!other)
        return false;
      EXPECT_LE(size_t(post.offset) + post.bytes, demand_.ring_bytes);
      if (post.bytes != 0)
        memcpy(other->demand_.rings + demand_.self * demand_.ring_bytes + post.offset,
               demand_.staging + to * demand_.ring_bytes + post.offset, post.bytes);
      EXPECT_LT(other->peers_[demand_.self].arrivals, demand_.most_arrivals) << "no receive is posted";
      ++other->peers_[demand_.self].arrivals;
      other->push({.kind = RdmaCompletion::Kind::Arrived,
                   .node = demand_.self,
                   .immediate = post.immediate,
                   .bytes = post.bytes});
      if (post.reports)
        push({.kind = RdmaCompletion::Kind::Sent, .node = to, .posts = peer.posted});
    }
    return true;
  }

  size_t poll(std::span<RdmaCompletion> completions) override {
    std::lock_guard guard(everything());
    size_t count = 0;
    for (; count < completions.size() && !told_.empty(); ++count) {
      completions[count] = told_.front();
      told_.pop_front();
      if (completions[count].kind == RdmaCompletion::Kind::Arrived)
        --peers_[completions[count].node].arrivals;
      if (completions[count].kind == RdmaCompletion::Kind::Sent)
        peers_[completions[count].node].complete = completions[count].posts;
    }
    return count;
  }

  void arm() override {
    std::lock_guard guard(everything());
    armed_ = true;
  }
  void acknowledge() override {
    uint64_t count;
    [[maybe_unused]] const ssize_t bytes = read(completions_, &count, sizeof count);
  }
  int completion_descriptor() const override { return completions_; }
  int event_descriptor() const override { return events_; }
  std::optional<std::string> take_event() override {
    uint64_t count;
    if (read(events_, &count, sizeof count) != ssize_t(sizeof count))
      return {};
    return "simulated: CQ error";
  }

  /// The connection to that node is at an end.
  void fail(uint32_t node) {
    std::lock_guard guard(everything());
    push({.kind = RdmaCompletion::Kind::Failed, .node = node, .reason = "simulated failure"});
  }
  /// All of them are, and no completion says so.
  void break_down() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(events_, &one, sizeof one);
  }
  /// Into which that node writes.
  const uint8_t* ring_of(uint32_t node) const { return demand_.rings + node * demand_.ring_bytes; }

  /// What a hostile peer would do: bytes of its choice into the ring that `to` has for it, and a number.
  void write(uint32_t to, const void* bytes, size_t count, uint32_t offset, uint32_t immediate) {
    std::lock_guard guard(everything());
    SimulatedRdma& other = *peers_[to].device;
    memcpy(other.demand_.rings + demand_.self * demand_.ring_bytes + offset, bytes, count);
    ++other.peers_[demand_.self].arrivals;
    other.push({.kind = RdmaCompletion::Kind::Arrived,
                .node = demand_.self,
                .immediate = immediate,
                .bytes = uint32_t(count)});
  }

  static const RdmaPlugin* plugin() {
    static const RdmaPlugin plugin{rdma_plugin_version, [] { return std::string(); },
                                   []() -> std::unique_ptr<RdmaDevice> { return std::make_unique<SimulatedRdma>(); },
                                   [](void (*)(void*, const RdmaPort&), void*) {}};
    return &plugin;
  }

 private:
  struct Peer {
    uint32_t queue_pair = 0; ///< this node's end
    SimulatedRdma* device = nullptr;
    std::vector<RdmaPost> posts;
    uint64_t posted = 0;
    uint64_t complete = 0; ///< as far as it was told
    uint32_t arrivals = 0; ///< from it, that have not been polled
  };
  struct End {
    SimulatedRdma* device;
    uint32_t node; ///< at the other end
  };

  static std::mutex& everything() {
    static std::mutex lock;
    return lock;
  }
  static std::map<uint32_t, End>& ends() {
    static std::map<uint32_t, End> ends;
    return ends;
  }

  void push(const RdmaCompletion& completion) {
    told_.push_back(completion);
    if (!std::exchange(armed_, false))
      return;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(completions_, &one, sizeof one);
  }

  RdmaDemand demand_;
  std::vector<Peer> peers_;
  std::deque<RdmaCompletion> told_;
  bool armed_ = false;
  int completions_ = -1;
  int events_ = -1;
};

} // namespace hetmp::dsm
