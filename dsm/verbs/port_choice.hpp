// Which port of which device a node uses, and by which address it is reached there. Pure.
#pragma once

#include "dsm/rdma_ports.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::dsm {

/// What is asked of a device.
struct PortDemand {
  uint32_t queue_pairs = 0;
  uint32_t posts = 0;       ///< of one queue pair, in one direction
  uint32_t completions = 0; ///< of one completion queue
};

struct PortChoice {
  std::string device;
  uint8_t port = 0;
  RdmaPort::Entry gid;
  uint16_t lid = 0;
  uint8_t mtu = 0;
  std::string problem; ///< why there is none, a clause; empty: there is one
};

/// `wish`: of the user, device[:port[:gid index]]; empty for none. `address`: of this host, as the others reach it; the
/// loopback's is no address that others could reach. The first InfiniBand port comes first: the address is often that
/// of an Ethernet beside it. Then a GID that equals the address, by RoCE v2 before v1; then a GID of RoCE v2 that is an
/// IPv4 address, any of v2, any of v1. Only ports count that are active and have what is demanded.
PortChoice choose_port(const std::vector<RdmaPort>& ports, std::string_view wish, const std::optional<Gid>& address,
                       const PortDemand& demand);

} // namespace hetmp::dsm
