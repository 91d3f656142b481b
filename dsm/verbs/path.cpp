#include "dsm/verbs/path.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

constexpr uint32_t numbers = uint32_t(1) << 24; ///< of queue pairs and of packets
constexpr uint32_t first_ordinary_pair = 2;     ///< those below belong to the subnet's management
constexpr uint16_t first_multicast_lid = 0xc000;

bool same_subnet(const Gid& a, const Gid& b) { return std::equal(a.begin(), a.begin() + 8, b.begin()); }

/// What no device can have said of itself.
bool is_nonsense(const RdmaCard& card) {
  return card.queue_pair < first_ordinary_pair || card.queue_pair >= numbers || card.first_packet >= numbers ||
         card.kind > GidKind::RoceV2 || card.mtu < smallest_mtu || card.mtu > largest_mtu || card.ring_key == 0 ||
         card.ring == 0 || card.lid >= first_multicast_lid;
}

RdmaPath no_way(std::string problem) {
  RdmaPath path;
  path.problem = std::move(problem);
  return path;
}

} // namespace

RdmaPath find_path(const PortChoice& own, const RdmaCard& theirs) {
  if (is_nonsense(theirs))
    return no_way("says what cannot be of how it is reached");
  if (theirs.kind != own.gid.kind)
    return no_way(std::string("is reached by ") + gid_kind_name(theirs.kind) + ", and this one by " +
                  gid_kind_name(own.gid.kind) + ": HETMP_VERBS_DEVICE=device:port:gid chooses");
  RdmaPath path;
  path.mtu = std::min(own.mtu, theirs.mtu);
  if (own.gid.kind == GidKind::InfiniBand) {
    path.lid = theirs.lid;
    if (!same_subnet(own.gid.gid, theirs.gid))
      return no_way("is in another InfiniBand subnet, and the way through a router is not known");
    // Ports that a hypervisor has made may have no LID of their own.
    path.global = theirs.lid == 0 || own.lid == 0;
  } else {
    path.global = true;
  }
  if (path.global && theirs.gid == Gid{})
    return no_way("has no GID");
  return path;
}

} // namespace hetmp::dsm
