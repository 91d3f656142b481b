// How messages get from one node process to another: what the service thread and everybody who sends rely on. One
// implementation for each interconnect; dsm/transports.hpp has the table of them. These are the rules.
//
// Life. The table's factory makes a transport in private memory. Where one process makes all others as copies of
// itself, it calls prepare() before the first of them exists, so they inherit what that makes. Each process then calls
// join() once, with the number of its node; every node does so at about the same time, and join() may exchange bytes
// with the others over the sockets that it is given (rendezvous.hpp). What follows may be called from then on until the
// process ends: a transport is never destroyed while a thread may send.
//
// Lanes and threads. Two lanes lead from each node to each node, itself included: Lane::Service is fed by the node's
// service thread only, and that thread uses no other; Lane::Anyone is fed by any other thread, several at a time. Both
// are emptied by the receiver's service thread. What goes out on Lane::Anyone may have to wait until the sender's own
// service thread takes it: that one calls flush() once a round. All other functions are the service thread's own;
// find_loss() also ends what a lost node is sent.
//
// Order. Messages of one lane to one node arrive complete, once, in the order of their send() calls. Nothing else is
// ordered.
//
// Blocking. The service thread never waits here for anything: not for room, not for a lock that another thread may hold
// (such a thread may be waiting for a page that only the service thread can bring), not for a peer. What finds no room
// is kept in private memory and goes out by flush(). So every message that was sent is taken in before long, and two
// service threads cannot wait for each other. A sender on Lane::Anyone may wait for room and for other senders, never
// for the receiver's program.
//
// Memory. `message` is copied within send(). `data` is read within send() and not afterwards; what cannot go out at
// once is copied. On Lane::Service it is private memory, or pages that the node has, which nobody may take meanwhile:
// reading it never faults. On Lane::Anyone it is to be private memory: it is read under the lane's lock, so a page of
// it that is elsewhere holds up everybody who sends on this lane. That it has to be fetched must nevertheless end well
// (a program's stack is shared, and the page that a thread has just written may be taken from it at any time): what
// cannot cause an ordinary page fault, a system call or a device, may not be given `data` of this lane without a copy,
// or without being prepared for a failure.
//
// Limits. At most sizeof(SlotHeader::message) bytes of message and most_data_bytes of data; in any mixture of channels.
//
// Waiting. doorbell() is a descriptor for poll(). Before the service thread sleeps on it, prepare_sleep() announces
// that; a message that comes after a successful prepare_sleep() makes the doorbell readable, and awake() follows each
// sleep.
//
// Lost peers. A node that can no longer be reached, or from which comes what it cannot have sent, is told once by
// find_loss(), after every complete message that came from it. What is sent to it afterwards is dropped. An
// interconnect that cannot lose a node without the machine has none.
#pragma once

#include "dsm/launch_keys.hpp"
#include "dsm/transport/slot.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace hetmp::dsm {

enum class Lane : uint8_t {
  Service, ///< of the service thread; it uses no other
  Anyone,  ///< of all other threads
};
inline constexpr size_t lanes = 2;

/// The connected sockets between one node and another, by lane.
using SocketPair = std::array<int, lanes>;

struct RdmaPlugin; // dsm/rdma_plugin.hpp

class Transport {
 public:
  using Handle = std::function<void(uint32_t from, const Slot& slot)>;

  /// What is done about nodes that are silent, by transports whose nodes can fall silent.
  enum class Watch : uint8_t {
    Nobody,  ///< however long the others are silent
    ForThem, ///< the same, but the others want signs of life
    Silence, ///< a node that is silent for too long is lost
  };
  static constexpr int64_t endless_patience = std::numeric_limits<int64_t>::max();
  static constexpr int64_t usual_patience_ns = 3'000'000'000;

  /// A process's place in a run, and what its transport starts with.
  struct Place {
    uint32_t node = 0;
    uint32_t nodes = 0;
    /// Of each node, in the order of their numbers, if the kind needs sockets; for the node itself {-1, -1}. The
    /// transport takes them over.
    std::vector<SocketPair> sockets = {};
    /// Null, or what seals all that travels between this node and others, by these keys, which are copied. Only if the
    /// kind can.
    const seal::Cipher* cipher = nullptr;
    const ConnectionKeys* keys = nullptr;
    Watch watch = Watch::Nobody;
    int64_t patience_ns = usual_patience_ns;                 ///< with a node that is silent
    int64_t patience_with_messages_ns = 30'000'000'000;      ///< with a message that has begun to come and does not end
    std::function<bool(uint32_t node)> is_stopped = nullptr; ///< as by a debugger: then its silence means nothing
    /// Of kinds that need it: what makes devices of RDMA, or null, and why there is none; and the user's choice of one.
    const RdmaPlugin* rdma = nullptr;
    std::string rdma_problem = {};
    std::string rdma_device = {};
    std::function<std::string(uint32_t node)> name_of = nullptr; ///< as messages name it
  };
  /// A node that can no longer be reached.
  struct Loss {
    uint32_t node = 0;
    std::string reason; ///< a short phrase
    bool changed =
        false; ///< what came from it is not what was sent: until the next find_loss() it may still hear this node
  };

  virtual ~Transport() = default;

  /// Before there is more than one process, in the one that is to be copied: makes what all of them inherit. Ends the
  /// program if that is impossible.
  virtual void prepare(uint32_t /*nodes*/) {}
  /// In each process. Ends the program if that is impossible. A kind that needs no sockets may join again as another
  /// node, which is how a test plays all nodes' parts.
  virtual void join(const Place& place) = 0;

  /// `message` and `data` may be null for no bytes.
  virtual void send(uint32_t to, Lane lane, Channel channel, const void* message, size_t message_bytes,
                    const void* data, size_t data_bytes) = 0;

  /// By a thread on Lane::Anyone, before the process ends: what it has sent is in the other nodes' hands, or a second
  /// has passed. Nothing to wait for where the kernel goes on with what was sent.
  virtual void settle() {}

  // The rest is for the service thread.

  /// Whether a message of the largest size would go out now on the service lane. Everything can be sent always, but
  /// what finds no room is copied once more; who has much to send waits for room: the doorbell rings when there is
  /// some, or flush() says that it is worth trying again soon.
  virtual bool has_room(uint32_t to) = 0;

  /// Calls handle for waiting messages, of each node; returns how many there were. Slots are valid within the call; the
  /// handle may send. A busy sender must not starve others: a call ends although it goes on sending.
  virtual size_t receive(const Handle& handle) = 0;
  /// Sends what was not sent before. True if something still waits: try again soon.
  virtual bool flush() = 0;

  /// Whether a message is waiting, as far as can be told at once; who sleeps instead misses none. Called again and
  /// again while nobody else needs the CPU.
  virtual bool has_messages() = 0;
  /// Announces sleep; false if messages are waiting (then do not sleep, and awake() need not follow).
  virtual bool prepare_sleep() = 0;
  /// After sleeping: `rung` if doorbell() was what ended it.
  virtual void awake(bool rung) = 0;
  /// Of which kind of the table it has turned out to be, where that was decided in join(); null: its own.
  virtual const char* chosen() const { return nullptr; }
  /// And why it is not the better one; empty: it is.
  virtual std::string why_chosen() const { return {}; }
  /// A descriptor that is readable when a sleeper has messages. Always the same one, from join() on.
  virtual int doorbell() const = 0;

  /// To be called after each receive(): a node that was found lost, each one once.
  virtual std::optional<Loss> find_loss() { return {}; }
  /// Nanoseconds after which find_loss() wants to be called although nothing came; negative = never.
  virtual int64_t longest_sleep_ns() const { return -1; }
};

} // namespace hetmp::dsm
