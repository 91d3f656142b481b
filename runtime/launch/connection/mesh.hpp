// Connections between all nodes of a run, each authenticated: what the DSM's TCP transport starts with.
#pragma once

#include "dsm/launch_keys.hpp"
#include "runtime/launch/connection/handshake.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::launch {

/// Where a node can be reached while the run starts.
struct Endpoint {
  std::string address; ///< numeric, IPv4 or IPv6
  uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};

/// A socket that listens on the address that `host` means here, at a port of the system's choice, and on no other.
/// Closed when the mesh stands.
class ListeningSocket {
 public:
  ListeningSocket() = default;
  ~ListeningSocket() { close(); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  /// What is wrong, empty if nothing is.
  std::string open(const std::string& host);
  void close();
  int descriptor() const { return descriptor_; }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  int descriptor_ = -1;
  Endpoint endpoint_;
};

struct Mesh {
  std::vector<std::array<int, 2>> sockets; ///< of each node, by lane; {-1, -1} for the node itself
  dsm::ConnectionKeys keys;                ///< of the connections, if they are to be sealed
  std::string error;                       ///< one phrase if it could not be had; then there are no sockets
};

/// Connects node `self` with all others: it opens connections to those before it and is connected to by those behind
/// it, who all do the same. Strangers are refused, with one line for each, and do no harm; at most `patience_s`
/// seconds. The sockets are inherited by the program that is executed next. `sealed`: whether the connections are to
/// be, which all must agree on.
Mesh connect_mesh(uint32_t self, const std::vector<Endpoint>& endpoints, const ListeningSocket& own,
                  const Secret& secret, int patience_s, bool sealed = false);

} // namespace hetmp::launch
