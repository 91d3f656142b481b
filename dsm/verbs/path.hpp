// The way from one node's port to another's, of what each knows of itself. Pure.
#pragma once

#include "dsm/transport/rdma/rdma_device.hpp"
#include "dsm/verbs/port_choice.hpp"

namespace hetmp::dsm {

struct RdmaPath {
  bool global = false; ///< by GIDs; otherwise by `lid` alone, within an InfiniBand subnet
  uint16_t lid = 0;    ///< of the other port; InfiniBand only
  uint8_t mtu = 0;     ///< what both ports carry
  std::string problem; ///< a clause, whose subject is the other node; empty: there is a way
};

/// From the own port to the node that gave the card, which is not trusted.
RdmaPath find_path(const PortChoice& own, const RdmaCard& theirs);

} // namespace hetmp::dsm
