// How nodes come to write into each other's memory.
#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"
#include "base/private_section.hpp"
#include "dsm/rdma_plugin.hpp"
#include "dsm/transport/rdma/verbs_transport.hpp"
#include "dsm/transport/rendezvous.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr uint32_t usual_messages = 128;
constexpr uint32_t least_messages = report_share;
/// Of all rings of a node together, as long as each has room for three of the largest messages.
constexpr size_t rings_budget = size_t(16) << 20;
constexpr size_t most_ring_bytes = size_t(1) << 20;

/// What a node says first: nothing, or why it cannot; and how it would be reached.
struct Readiness {
  std::array<char, 400> problem{};
  GidKind kind = GidKind::InfiniBand;
};
using SealedCard = std::array<uint8_t, sizeof(RdmaCard) + seal::tag_bytes>;

/// The address by which that node reaches this one, unless it is the loopback's.
std::optional<Gid> address_of(int socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    return {};
  Gid gid{};
  if (address.ss_family == AF_INET) {
    const in_addr& own = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    if (ntohl(own.s_addr) >> 24 == IN_LOOPBACKNET)
      return {};
    gid[10] = gid[11] = 0xff; // as an IPv6 address
    memcpy(&gid[12], &own, sizeof own);
    return gid;
  }
  if (address.ss_family != AF_INET6)
    return {};
  const in6_addr& own = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_LOOPBACK(&own))
    return {};
  memcpy(gid.data(), &own, gid.size());
  return gid;
}

std::string name_of(const Transport::Place& place, uint32_t node) {
  return place.name_of ? place.name_of(node) : "node " + std::to_string(node);
}

[[noreturn]] void give_up(const std::string& problem) {
  die(exit_code::software, "RDMA between the nodes is not possible: %s", problem.c_str());
}

/// Every node tells what speaks against it, or nothing; they all get the same answer. `kind`, if not null: how it is
/// reached, by which they have to be alike.
std::string first_problem(const Transport::Place& place, const std::string& own, const GidKind* kind) {
  std::vector<Readiness> all(place.nodes);
  memcpy(all[place.node].problem.data(), own.data(), std::min(own.size(), sizeof Readiness::problem - 1));
  if (kind)
    all[place.node].kind = *kind;
  if (std::string failed = exchange(place.node, place.sockets, all); !failed.empty())
    give_up(failed);
  for (uint32_t node = 0; node < place.nodes; ++node) {
    all[node].problem.back() = '\0'; // it came over the wire
    if (const char* const problem = all[node].problem.data(); *problem != '\0')
      return name_of(place, node) + ": " + problem;
  }
  for (uint32_t node = 1; node < place.nodes; ++node)
    if (all[node].kind != all[0].kind)
      return name_of(place, node) + " is reached by " + gid_kind_name(all[node].kind) + ", and " + name_of(place, 0) +
             " by " + gid_kind_name(all[0].kind) + "; HETMP_VERBS_DEVICE=device:port:gid chooses";
  return {};
}

/// So that the origin can say for all what is wrong: a launcher takes the run down with the first process that ends.
[[noreturn]] void end_run(const Transport::Place& place, const std::string& problem) {
  constexpr int longest_ms = 10'000;
  if (place.node == 0)
    give_up(problem);
  pollfd end{place.sockets[0][0], POLLIN | POLLRDHUP, 0};
  poll(&end, 1, longest_ms);
  _exit(exit_code::software);
}

} // namespace

VerbsTransport::~VerbsTransport() {
  device_.reset(); // before the memory that it uses
  if (memory_)
    munmap(memory_, memory_bytes_);
  if (outbox_memory_)
    munmap(outbox_memory_, sizeof(Ring) * nodes_);
  for (const SocketPair& pair : sockets_)
    for (const int socket : pair)
      if (socket >= 0)
        close(socket);
  for (const int descriptor : {poll_set_, bell_})
    if (descriptor >= 0)
      close(descriptor);
}

void VerbsTransport::join(const Place& place) {
  if (const std::string problem = try_to_join(place); !problem.empty())
    end_run(place, problem);
}

std::string VerbsTransport::try_to_join(const Place& place) {
  const PrivateSection here; // what the device's library allocates is for the service thread
  HETMP_CHECK(place.node < place.nodes && place.sockets.size() == place.nodes && peers_.empty()); // once
  self_ = place.node;
  nodes_ = place.nodes;
  cipher_ = place.cipher;
  most_messages_ = is_small_ ? least_messages : usual_messages;
  const size_t least = largest_in_ring * ring_units_up(frame_bytes(most_data_bytes));
  ring_bytes_ =
      is_small_ ? least : std::max(least, std::min(most_ring_bytes, rings_budget / nodes_ / page_bytes * page_bytes));
  make_memory();
  if (std::string problem = agree(place); !problem.empty()) {
    device_.reset();
    return problem;
  }
  exchange_cards(place);
  sockets_ = place.sockets;
  liveness_.set_patience(place.patience_ns);
  if (place.is_stopped)
    liveness_.set_is_stopped(place.is_stopped);
  liveness_.begin(self_, nodes_, place.watch, monotonic_ns());
  watch_sockets();
  return {};
}

/// Empty, or why not: the same on all nodes.
std::string VerbsTransport::agree(const Place& place) {
  const std::string problem = open_device(place);
  const GidKind kind = problem.empty() ? device_->card(self_ == 0 ? 1 : 0).kind : GidKind::InfiniBand;
  return first_problem(place, problem, &kind);
}

void VerbsTransport::make_memory() {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  memory_bytes_ = 2 * nodes_ * ring_bytes_;
  void* const memory = ::mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
  outbox_memory_ = ::mmap(nullptr, sizeof(Ring) * nodes_, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED || outbox_memory_ == MAP_FAILED)
    die(exit_code::software, "no memory for the messages of %u nodes: %s", nodes_, strerrordesc_np(errno));
  memory_ = static_cast<uint8_t*>(memory);
  outboxes_ = std::vector<Outbox>(nodes_);
  for (uint32_t node = 0; node < nodes_; ++node)
    outboxes_[node].ring = static_cast<Ring*>(outbox_memory_) + node;
  for (uint32_t node = 0; node < nodes_; ++node)
    peers_.emplace_back(ring_bytes_, most_messages_, most_posts());
  opened_ = std::make_unique<uint8_t[]>(most_data_bytes);
}

/// Empty, or why not.
std::string VerbsTransport::open_device(const Place& place) {
  if (!device_ && !place.rdma)
    return place.rdma_problem.empty() ? "there is nothing that makes RDMA devices" : place.rdma_problem;
  if (!device_)
    device_ = place.rdma->make();
  RdmaDemand demand;
  demand.self = self_;
  demand.nodes = nodes_;
  demand.device = place.rdma_device;
  for (uint32_t node = 0; node < nodes_ && !demand.address; ++node)
    if (node != self_)
      demand.address = address_of(place.sockets[node][0]);
  demand.rings = memory_;
  demand.staging = memory_ + nodes_ * ring_bytes_;
  demand.ring_bytes = ring_bytes_;
  demand.most_posts = most_posts();
  demand.most_arrivals = most_messages_ + most_reports + 1; // the last is for settle()
  demand.patience_ns = place.patience_ns;
  return device_->open(demand);
}

/// What goes wrong from here on ends the run: the others may be connected already. Cards are sealed with the keys of
/// lane Anyone's connection, which nothing else uses.
void VerbsTransport::exchange_cards(const Place& place) {
  std::vector<SealedCard> own(nodes_), theirs(nodes_);
  for (uint32_t node = 0; node < nodes_; ++node) {
    if (node == self_)
      continue;
    const RdmaCard card = device_->card(node);
    if (cipher_)
      cipher_->seal((*place.keys)[node][size_t(Lane::Anyone)].send.data(), 0, nullptr, 0, &card, sizeof card,
                    own[node].data());
    else
      memcpy(own[node].data(), &card, sizeof card);
  }
  std::string problem = exchange_each(self_, place.sockets, own.data(), sizeof(SealedCard), theirs.data());
  for (uint32_t node = 0; node < nodes_ && problem.empty(); ++node) {
    if (node == self_)
      continue;
    RdmaCard card;
    if (!cipher_)
      memcpy(&card, theirs[node].data(), sizeof card);
    else if (!cipher_->open((*place.keys)[node][size_t(Lane::Anyone)].receive.data(), 0, nullptr, 0,
                            theirs[node].data(), sizeof card, reinterpret_cast<uint8_t*>(&card)))
      problem = "what " + name_of(place, node) + " said of its device was changed on the way";
    if (problem.empty())
      if (const std::string clause = device_->connect(node, card); !clause.empty())
        problem = name_of(place, node) + ' ' + clause;
    if (cipher_) {
      peers_[node].sealing = std::make_unique<Sealing>();
      peers_[node].sealing->keys = (*place.keys)[node][size_t(Lane::Service)];
    }
  }
  // Nobody writes to a node that is not yet connected.
  if (problem = first_problem(place, problem, nullptr); !problem.empty())
    end_run(place, problem);
}

/// From now on nothing comes from the others' sockets but their end.
void VerbsTransport::watch_sockets() {
  poll_set_ = above_standard_streams(epoll_create1(EPOLL_CLOEXEC));
  bell_ = above_standard_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (poll_set_ < 0 || bell_ < 0)
    die(exit_code::software, "no descriptor to wait for messages: %s", strerrordesc_np(errno));
  const auto watch = [this](int descriptor, uint32_t events, uint64_t what) {
    epoll_event interest{};
    interest.events = events;
    interest.data.u64 = what;
    if (epoll_ctl(poll_set_, EPOLL_CTL_ADD, descriptor, &interest) != 0)
      die(exit_code::software, "cannot wait for messages: %s", strerrordesc_np(errno));
  };
  watch(device_->completion_descriptor(), EPOLLIN, of_completions);
  watch(device_->event_descriptor(), EPOLLIN, of_events);
  watch(bell_, EPOLLIN, of_bell);
  for (uint32_t node = 0; node < nodes_; ++node)
    for (const int socket : sockets_[node])
      if (socket >= 0) {
        fcntl(socket, F_SETFD, FD_CLOEXEC); // a program that this one starts would keep the connection open
        watch(socket, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, node);
      }
}

} // namespace hetmp::dsm
