// The address under which the other nodes of a run reach this host, where nobody has named it: hosts' names will not
// do, since many a host takes its own for 127.0.1.1.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hetmp::launch {

struct InterfaceAddress {
  std::string interface;
  std::string address; ///< numeric, IPv4 or IPv6
  bool ipv6 = false;
  bool up = false; ///< switched on, and its other end too
  bool loopback = false;
  bool operator==(const InterfaceAddress&) const = default;
};

/// All of this host that mean the same to other hosts: link-local ones do not.
std::vector<InterfaceAddress> interface_addresses();

struct OwnAddress {
  std::string address;
  std::string error; ///< one phrase; then there is no address
};

/// `wanted`: the interface the user has chosen. Otherwise it is the loopback if all nodes are on this host, else the
/// first interface that is up. IPv4 goes before IPv6.
OwnAddress choose_address(const std::vector<InterfaceAddress>& addresses, const std::optional<std::string>& wanted,
                          bool all_on_this_host);

} // namespace hetmp::launch
