// Messages between node processes over TCP: two connections for each pair of nodes, one for each lane, so that no
// message of the program waits behind pages. Who connected them, and how the peers made sure of each other, is the
// launcher's business: this starts with connected sockets.
//
// What the service thread sends is gathered and goes out once a round of its work, in one system call for each node;
// series of pages go out at once, from where they lie. Other threads write to the socket themselves, under a lock that
// the service thread never takes; they may wait for room, which the receiver's service thread makes in any case.
//
// Where the run is encrypted each connection carries records (seal/record.hpp) instead of frames, both ways; what is
// gathered for one system call becomes as few of them as possible.
//
// A node is lost when its connection ends, or when nothing has come from it for `patience` after its first message:
// each service thread sends a sign of life every second, whatever the threads of its program do, so a slow node is not
// taken for a lost one. It is also lost when something it sent has changed on the way, as the frames' checks or the
// records tell, or when a message that has begun to come does not end.
#pragma once

#include "base/seal/record.hpp"
#include "dsm/launch_keys.hpp"
#include "dsm/transport/frame_reader.hpp"
#include "dsm/transport/liveness.hpp"
#include "dsm/transport/sealed_lane.hpp"
#include "dsm/transport/transport.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <sys/uio.h>
#include <vector>

namespace hetmp::dsm {

class TcpTransport final : public Transport {
 public:
  void join(const Place& place) override;
  // What join() consists of. `sockets` and `keys` as in Place.
  void connect(uint32_t self, const std::vector<SocketPair>& sockets, Watch watch);
  /// After connect(), before anything is sent.
  void seal_with(const seal::Cipher& cipher, const ConnectionKeys& keys);
  /// How long a node may be silent that is watched; the usual is 3 s. And how long a message may take that has begun to
  /// come.
  void set_patience(int64_t nanoseconds, int64_t with_messages) {
    liveness_.set_patience(nanoseconds);
    patience_with_messages_ns_ = with_messages;
  }
  /// Tells of silent nodes whether they are stopped, as by a debugger: then they are not lost. Otherwise nobody is
  /// stopped.
  void set_is_stopped(std::function<bool(uint32_t node)> is_stopped) {
    liveness_.set_is_stopped(std::move(is_stopped));
  }

  void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes, const void* data,
            size_t data_bytes) override;
  bool has_room(uint32_t to) override;
  size_t receive(const Handle& handle) override;
  bool flush() override;
  bool prepare_sleep() override { return true; } // what comes now makes the doorbell readable
  void awake(bool rung) override { something_came_ = rung; }
  bool has_messages() override;
  int doorbell() const override { return poll_set_; }
  std::optional<Loss> find_loss() override;
  int64_t longest_sleep_ns() const override;

 private:
  using Clock = int64_t; ///< CLOCK_MONOTONIC, nanoseconds
  static constexpr Clock not_yet = 0;
  /// One direction of reading: a socket, and what has come from it.
  struct Incoming {
    int socket = -1;
    uint32_t from = 0;
    Lane lane = Lane::Service;
    std::unique_ptr<FrameReader> reader;
    std::unique_ptr<seal::RecordReader> records; ///< null if the connection is not sealed
    uint64_t frames = 0;                         ///< complete ones, so far
    Clock part_since = not_yet;                  ///< since when a frame has not ended

    uint8_t* room() { return records ? records->room() : reader->room(); }
    size_t room_bytes() const { return records ? records->room_bytes() : reader->room_bytes(); }
    void filled(size_t bytes) { records ? records->filled(bytes) : reader->filled(bytes); }
    bool has_part() const { return reader->has_part() || (records && records->has_part()); }
  };
  struct Outgoing {
    int service = -1; ///< non-blocking
    int anyone = -1;
    std::vector<uint8_t> gathered;                         ///< service thread: frames that are still to be sent
    size_t sent = 0;                                       ///< of to_write()
    std::mutex anyone_lock;                                ///< one frame at a time on `anyone`
    std::unique_ptr<SealedLane> service_seal, anyone_seal; ///< null if the connections are not sealed

    // Service thread.
    std::vector<uint8_t>& to_write();
    size_t waiting_bytes() const;
    void drop();
  };
  static void gather(Outgoing& out, const iovec* pieces, size_t count);
  static void send_through(Outgoing& out, const iovec* pieces, size_t count);
  void listen_to(uint32_t from, Lane lane, int socket, size_t buffer_bytes);
  bool read_from(Incoming& incoming, const Handle& handle, size_t& messages);
  void give_messages(Incoming& incoming, const Handle& handle, size_t& messages);
  void open_records(Incoming& incoming, const Handle& handle, size_t& messages);
  void take_what_is_left(uint32_t node, const Handle& handle, size_t& messages);
  void stop_reading(Incoming& incoming);
  bool flush(uint32_t to);
  void note_part(Incoming& incoming, uint64_t frames_before, Clock now);
  void lose(uint32_t node, std::string reason, bool changed = false);
  void shut_down(uint32_t node);
  void find_parts(Clock now);
  void give_signs_of_life();

  uint32_t self_ = 0;
  Liveness liveness_;
  Clock patience_with_messages_ns_ = 30'000'000'000;
  size_t parts_ = 0;           ///< connections on which a frame has begun and not ended
  int poll_set_ = -1;          ///< epoll, of all incoming sockets
  bool something_came_ = true; ///< perhaps: false after a sleep that ended for another reason
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
  std::vector<bool> open_; ///< of each node: its connections are not shut down
};

} // namespace hetmp::dsm
