// What an RDMA device does for a transport: reliable connections to other nodes, and writes into their memory over
// these. An interface, since what speaks with libibverbs is a plugin (dsm/verbs), which only runs over RDMA load, and
// since tests have a device of their own.
//
// Each node has a *ring* for each other one, into which that one writes, and a *staging* area for each, from which it
// is written to. Both are registered; no page that nodes share ever is: the device would write past the protection that
// tells of accesses, and go on with a page that has been given back.
//
// Life. open() looks for a device and makes queue pairs that can receive; the nodes exchange the cards; connect() with
// each other node; then all wait for each other; then anybody may post. After open() one thread uses it at a time.
#pragma once

#include "dsm/rdma_ports.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace hetmp::dsm {

/// How one node is reached by one other. Travels between processes of one build on machines of one byte order.
struct RdmaCard {
  Gid gid{};
  uint32_t queue_pair = 0;   ///< 24 bits
  uint32_t first_packet = 0; ///< sequence number of what it sends: 24 bits, drawn at random
  uint16_t lid = 0;          ///< of an InfiniBand port
  GidKind kind = GidKind::RoceV2;
  uint8_t mtu = 0;       ///< of a packet, as verbs count: 1 = 256 bytes, 5 = 4096
  uint32_t ring_key = 0; ///< of the ring that is the other one's to write to,
  uint64_t ring = 0;     ///< and its address
};
static_assert(sizeof(RdmaCard) == 40 && std::is_trivially_copyable_v<RdmaCard>);

struct RdmaDemand {
  uint32_t self = 0;
  uint32_t nodes = 0;
  std::string_view device;    ///< the user's wish, device[:port[:gid index]]; empty: none
  std::optional<Gid> address; ///< of this host, as the others reach it by IP; the loopback's counts as none
  uint8_t* rings = nullptr;   ///< of all nodes, one behind the other, in the order of their numbers; likewise `staging`
  uint8_t* staging = nullptr; ///< private memory, page-aligned
  size_t ring_bytes = 0;      ///< of one of them
  int64_t patience_ns = 0;    ///< what is not acknowledged for so long is at an end; negative or very long: never
  uint32_t most_posts = 0;    ///< to one node that have not been completed
  uint32_t most_arrivals = 0; ///< from one node that have not been polled
};

/// A write from a node's staging area to the same place in the ring that the node `to` has for this one.
struct RdmaPost {
  uint32_t offset = 0;
  uint32_t bytes = 0;     ///< 0: nothing but the number below arrives
  uint32_t immediate = 0; ///< arrives with it
  bool reports = false;   ///< Sent is to come for it; failures come in any case
};

struct RdmaCompletion {
  enum class Kind : uint8_t {
    Arrived, ///< all of a post of that node's
    Sent,    ///< all posts to that node up to one that reports: their staging memory is free
    Failed,  ///< the connection to that node is at an end: once, after all that has arrived from it
  };
  Kind kind = Kind::Arrived;
  uint32_t node = 0;
  uint32_t immediate = 0;       ///< Arrived: the post's
  uint32_t bytes = 0;           ///< Arrived: as the device says
  uint64_t posts = 0;           ///< Sent: how many posts to the node are complete, of all since the beginning
  const char* reason = nullptr; ///< Failed: a phrase; static
};

class RdmaDevice {
 public:
  virtual ~RdmaDevice() = default;

  /// What the process can use there, or why it cannot: a clause without a subject's capital ("no RDMA device"), which
  /// names what to do where that is known. Empty: nothing is wrong.
  virtual std::string open(const RdmaDemand& demand) = 0;
  /// For the node `peer`. After open().
  virtual RdmaCard card(uint32_t peer) const = 0;
  /// `theirs` is not trusted. Empty, or what is wrong.
  virtual std::string connect(uint32_t peer, const RdmaCard& theirs) = 0;
  /// For reports: device, port, kind of link.
  virtual std::string description() const = 0;

  /// Adds a write to what flush() starts. There is room for most_posts until they are completed.
  virtual void post(uint32_t to, const RdmaPost& post) = 0;
  /// Starts what has been posted to that node. False: the connection is at an end; then Failed comes, too.
  virtual bool flush(uint32_t to) = 0;
  /// The next completions; how many. Never waits.
  virtual size_t poll(std::span<RdmaCompletion> completions) = 0;

  /// The next completion makes completion_descriptor() readable. What has come before may not: poll once more. Twice
  /// armed, it may become readable twice.
  virtual void arm() = 0;
  /// After it was readable: it is not any more.
  virtual void acknowledge() = 0;
  virtual int completion_descriptor() const = 0;
  /// Readable when the device has something to say.
  virtual int event_descriptor() const = 0;
  /// What it said, if that ends all connections: a phrase. To be called when the descriptor is readable.
  virtual std::optional<std::string> take_event() = 0;
};

} // namespace hetmp::dsm
