// Which interconnects there are. Whoever chooses one, complains of a choice, describes what is possible or makes one
// reads this table; nobody else names any. A new one is a class that implements Transport
// (dsm/transport/transport.hpp), and one line here.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

namespace hetmp::dsm {

class SharedMemoryTransport;
class TcpTransport;
class VerbsOrTcp;
class VerbsTransport;

/// What can be said of an interconnect before there is one.
struct TransportKind {
  std::string_view name; ///< in HETMP_TRANSPORT, --transport, launch plans and profiles
  /// It starts with connected sockets, two between any two nodes, and may exchange over them what it needs besides
  /// (dsm/transport/rendezvous.hpp). One that does not starts with memory that all node processes have inherited.
  bool needs_sockets;
  bool over_hosts; ///< it connects processes that were started by themselves; requires needs_sockets
  bool can_seal;   ///< what it carries can be encrypted, and leaves the machine's memory, so that this makes sense
  bool between_hosts_only = false; ///< on one machine it means the usual one
  bool needs_rdma =
      false; ///< it starts with what makes devices of RDMA, if that is there (dsm/transport/rdma/rdma_device.hpp)
};

/// A line of the table.
template <class T> struct TransportEntry { TransportKind kind; };

/// The first is what connects the processes of one machine if nobody says otherwise.
inline constexpr std::tuple transport_table = {
    TransportEntry<SharedMemoryTransport>{{"shared-memory", false, false, false}},
    TransportEntry<TcpTransport>{{"tcp", true, true, true}},
    TransportEntry<VerbsTransport>{{"verbs", true, true, true, false, true}},
    TransportEntry<VerbsOrTcp>{{"auto", true, true, true, true, true}},
};

inline constexpr auto transport_kinds =
    std::apply([](const auto&... entry) { return std::array{entry.kind...}; }, transport_table);

constexpr const TransportKind& usual_transport() { return transport_kinds.front(); }

/// Null if there is none of that name.
constexpr const TransportKind* find_transport(std::string_view name) {
  for (const TransportKind& kind : transport_kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

/// What connects nodes on several hosts: the first that can.
constexpr const TransportKind& transport_over_hosts() {
  for (const TransportKind& kind : transport_kinds)
    if (kind.over_hosts)
      return kind;
  return usual_transport();
}

static_assert(transport_over_hosts().over_hosts && transport_over_hosts().can_seal);
static_assert(
    [] {
      for (const TransportKind& kind : transport_kinds)
        if (kind.over_hosts && !kind.needs_sockets)
          return false;
      return true;
    }(),
    "what a launcher gives its processes is sockets");

/// As a complaint says it of a name that nothing has: "neither a nor b", or "none of a, b, c".
std::string no_transport_of_that_name();
/// "a", "a or b", "a, b or c": those of which `property` holds; all by default.
std::string transport_names(bool TransportKind::*property = nullptr);

} // namespace hetmp::dsm
