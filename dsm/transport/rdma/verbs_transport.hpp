// Messages between node processes over RDMA: each node writes them into the memory of the others (ring_window.hpp), by
// a device (rdma_device.hpp). Who connected the nodes' sockets, and how the peers made sure of each other, is the
// launcher's business: over these the nodes exchange what their devices need, and afterwards the sockets tell of a node
// that has ended.
//
// One connection of the device leads from each node to each other, and carries both lanes. Only the service thread uses
// it. What other threads send waits in memory of this process until that one takes it: posting may take locks and
// copies from the stack, which is in memory that nodes share, and the service thread must never wait for a page of its
// own.
//
// A frame in a ring is a FrameHead, a SlotHeader, and the data. Pages are installed from there. Where the run is
// encrypted the SlotHeader and the data are sealed into the staging area, and opened into private memory. The writer of
// a ring can change it at any time, so everything that is looked at more than once is copied out first.
//
// A node is lost when its sockets end, when its connection fails (a device notices only what it tries to send), when it
// is silent (liveness.hpp), or when it writes what is no message.
#pragma once

#include "base/seal/cipher.hpp"
#include "dsm/transport/liveness.hpp"
#include "dsm/transport/rdma/rdma_device.hpp"
#include "dsm/transport/rdma/ring_window.hpp"
#include "dsm/transport/ring.hpp"
#include "dsm/transport/transport.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace hetmp::dsm {

/// What a sender says of a frame that the receiver needs before anything else. Of a sealed frame it is what is covered
/// by the tags, and not hidden.
struct FrameHead {
  uint32_t credit = 0;     ///< messages that the sender has taken in so far (ReceiveWindow::tell)
  uint32_t data_bytes = 0; ///< as in the SlotHeader
  Lane lane = Lane::Service;
  uint8_t reserved[7] = {};
};
static_assert(sizeof(FrameHead) == 16);

/// Of the number that arrives with a post: set, and the rest is a credit; else where the frame is, in units of the
/// ring.
inline constexpr uint32_t report_mark = 0x8000'0000;

class VerbsTransport : public Transport {
 public:
  VerbsTransport() = default;
  /// With that device, whatever plugin there is.
  explicit VerbsTransport(std::unique_ptr<RdmaDevice> device) : device_(std::move(device)) {}
  ~VerbsTransport() override;

  /// How large the rings are, and how many messages may be under way; before join(). For tests: the least there can be.
  void make_small() { is_small_ = true; }

  void join(const Place& place) override;
  /// The same, unless a node cannot: then which one, and why; all nodes get the same answer, and nothing is left in the
  /// sockets.
  std::string try_to_join(const Place& place);

  void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes) override;
  void settle() override;
  bool has_room(uint32_t to) override;
  size_t receive(const Handle& handle) override;
  bool flush() override;
  bool has_messages() override;
  bool prepare_sleep() override;
  void awake(bool rung) override;
  int doorbell() const override { return poll_set_; }
  std::optional<Loss> find_loss() override;
  int64_t longest_sleep_ns() const override;

 private:
  using Clock = int64_t; ///< CLOCK_MONOTONIC, nanoseconds
  /// What a descriptor of the set is of; other numbers: a socket of that node.
  static constexpr uint64_t of_completions = ~uint64_t(0), of_events = of_completions - 1, of_bell = of_completions - 2;

  static constexpr uint32_t spare_posts = 16;

  /// What the service thread has not been able to post.
  struct Waiting {
    SlotHeader header;
    std::vector<uint8_t> data;
  };
  /// The keys of one connection, and the numbers of what was sealed: two for each frame.
  struct Sealing {
    seal::KeyPair keys;
    uint64_t sent = 0;
    uint64_t received = 0;
    ~Sealing() { seal::forget(keys); }
  };
  struct Peer {
    Peer(size_t ring_bytes, uint32_t most_messages, uint32_t most_posts)
        : out(ring_bytes, most_messages, most_posts), in(ring_bytes, most_messages) {}
    SendWindow out;
    ReceiveWindow in;
    std::deque<Waiting> waiting;
    std::unique_ptr<Sealing> sealing; ///< null: in the open
    bool has_left = false;            ///< other threads' messages to it found no room
    bool has_posted = false;          ///< since the device was last told to start
    bool open = true;
    bool ended = false; ///< its sockets are; what it sent before is still to be received
    Clock failed = 0;   ///< when the device has given up; 0: it has not
    const char* failure = nullptr;
  };
  /// What other threads send to a node.
  struct Outbox {
    std::mutex lock; ///< of those that send
    Ring* ring = nullptr;
  };

  /// To one node that have not been completed.
  uint32_t most_posts() const { return most_messages_ + most_reports + spare_posts; }

  // Joining.
  void make_memory();
  std::string agree(const Place& place);
  std::string open_device(const Place& place);
  void exchange_cards(const Place& place);
  void watch_sockets();

  // Sending. The service thread's but for the first two.
  void leave_for_service(uint32_t to, const SlotHeader& header, const void* data);
  void wake_service();
  bool post(uint32_t to, Lane lane, const SlotHeader& header, const uint8_t* data);
  void write_open(uint8_t* at, const FrameHead& head, const SlotHeader& header, const uint8_t* data);
  void write_sealed(Sealing& sealing, uint8_t* at, const FrameHead& head, const SlotHeader& header,
                    const uint8_t* data);
  size_t frame_bytes(size_t data_bytes) const;
  bool flush(uint32_t to);
  bool post_waiting(uint32_t to);
  void post_report(uint32_t to);
  bool is_settled(uint32_t to);

  // Receiving.
  size_t receive_own(const Handle& handle);
  void take(const RdmaCompletion& completion, const Handle& handle, size_t& messages);
  bool take_frame(uint32_t from, size_t offset, uint32_t bytes, const Handle& handle, size_t& messages);
  const uint8_t* open_frame(Peer& peer, const FrameHead& head, const uint8_t* frame, SlotHeader& header);
  void poll();
  void hear(uint64_t what);

  void lose(uint32_t node, std::string reason, bool changed = false);
  void shut_down(uint32_t node);

  std::unique_ptr<RdmaDevice> device_;
  bool is_small_ = false;
  uint32_t self_ = 0;
  uint32_t nodes_ = 0;
  Liveness liveness_;
  std::vector<SocketPair> sockets_;
  const seal::Cipher* cipher_ = nullptr;

  size_t ring_bytes_ = 0;
  uint32_t most_messages_ = 0;
  uint8_t* memory_ = nullptr; ///< rings of all nodes, then staging areas of all nodes
  size_t memory_bytes_ = 0;
  void* outbox_memory_ = nullptr;
  std::vector<Outbox> outboxes_;
  std::vector<Peer> peers_;
  std::deque<Waiting> own_;           ///< of the service thread, to itself
  std::unique_ptr<uint8_t[]> opened_; ///< room for a message's data, where that is not used in the ring

  std::array<RdmaCompletion, 64> completions_{}; ///< [next_, polled_) have not been taken yet
  size_t next_ = 0;
  size_t polled_ = 0;
  bool armed_ = false;
  int poll_set_ = -1;
  int bell_ = -1;
  /// seq_cst: announces sleep, before the look at what was left for the service thread; pairs with the fence in
  /// wake_service(). relaxed when it is taken back: who sees it late rings once in vain.
  std::atomic<bool> asleep_{false};
  enum class Settling : uint8_t { No, Wanted, Done };
  /// Wanted by a thread that waits for it, done by the service thread. relaxed: nothing else depends on it.
  std::atomic<Settling> settling_{Settling::No};
  /// Something may lie in an outbox. Released by who has put it there, acquired by who looks for it.
  std::atomic<bool> anything_left_{false};
};

} // namespace hetmp::dsm
