// An RDMA device by libibverbs: a reliable connection to each other node, and one completion queue for all of them.
//
// Receives have no buffers: what arrives are writes with a number, which take one each. What a poll() takes is put back
// before it returns, so before anybody can tell the sender that it may send more.
//
// After open(), what the service thread calls allocates nothing, waits for nothing and touches private memory only. The
// locks that libibverbs takes are those of one queue, and nobody else uses it.
#pragma once

#include "dsm/transport/rdma/rdma_device.hpp"
#include "dsm/verbs/handles.hpp"
#include "dsm/verbs/port_choice.hpp"

#include <vector>

namespace hetmp::dsm {

class VerbsDevice final : public RdmaDevice {
 public:
  std::string open(const RdmaDemand& demand) override;
  RdmaCard card(uint32_t peer) const override;
  std::string connect(uint32_t peer, const RdmaCard& theirs) override;
  std::string description() const override;
  void post(uint32_t to, const RdmaPost& post) override;
  bool flush(uint32_t to) override;
  size_t poll(std::span<RdmaCompletion> completions) override;
  void arm() override;
  void acknowledge() override;
  int completion_descriptor() const override { return channel_->fd; }
  int event_descriptor() const override { return context_->async_fd; }
  std::optional<std::string> take_event() override;

 private:
  /// Another node. Of the node itself there is an empty one.
  struct Peer {
    QueuePair pair;
    uint32_t first_packet = 0;
    uint32_t most_inline = 0; ///< bytes that a request may carry itself
    uint64_t ring = 0;        ///< the other one's, to be written to
    uint8_t* staging = nullptr;
    std::vector<ibv_send_wr> chain; ///< linked one to the next; the first `gathered` are to be flushed
    std::vector<ibv_sge> pieces;    ///< one for each of the chain
    uint32_t gathered = 0;
    uint32_t taken = 0; ///< receives that are to be put back
    uint64_t posts = 0, complete = 0;
    const char* failure = nullptr; ///< not null: the connection is at an end
    bool told = false;
  };

  std::string choose(const RdmaDemand& demand);
  std::string register_areas(const RdmaDemand& demand);
  std::string not_registered(size_t bytes) const;
  std::string not_made(const RdmaDemand& demand, const std::string& what, int error) const;
  std::string make_queue(const RdmaDemand& demand);
  std::string make_pair(uint32_t node, const RdmaDemand& demand);
  int create_pair(Peer& peer, const RdmaDemand& demand, uint32_t inline_bytes);

  std::string begin_receiving(const Peer& peer, const RdmaCard& theirs, const ibv_ah_attr& way, uint8_t mtu);
  std::string begin_sending(const Peer& peer);

  bool put_back(uint32_t node, uint32_t receives);
  void fail(Peer& peer, const char* reason);
  std::optional<RdmaCompletion> completion_of(const ibv_wc& entry);
  size_t tell_failures(std::span<RdmaCompletion> completions);

  PortChoice port_;
  uint8_t* rings_ = nullptr;
  size_t ring_bytes_ = 0;
  uint32_t most_posts_ = 0;
  uint8_t timeout_ = 0; ///< until a post is sent again, as verbs count

  // Destroyed from the last to the first, as each needs those before it.
  DeviceContext context_;
  ProtectionDomain domain_;
  std::vector<RegisteredMemory> ring_memory_; ///< of each node
  RegisteredMemory staging_memory_;
  CompletionChannel channel_;
  CompletionQueue queue_;
  std::vector<Peer> peers_;
  std::vector<ibv_recv_wr> receives_; ///< linked one to the next: as many as one node needs
  uint32_t untold_ = 0;               ///< peers that have failed, of which that is still to be told
};

} // namespace hetmp::dsm
