// The ports of RDMA devices: what a transport chooses of, and what `hetmp info` shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::dsm {

/// A global identifier: of a port, in network byte order. That of a RoCE port is an IP address (IPv4: mapped into
/// IPv6).
using Gid = std::array<uint8_t, 16>;

enum class RdmaLink : uint8_t { InfiniBand, Ethernet };

/// By which protocol a port is reached by a GID. Those who use different ones do not hear each other.
enum class GidKind : uint8_t { InfiniBand, RoceV1, RoceV2 };

struct RdmaPort {
  struct Entry {
    uint32_t index = 0;
    Gid gid{};
    GidKind kind = GidKind::InfiniBand;
  };
  std::string device;
  uint8_t port = 0; ///< from 1 on; 0: the device cannot be opened
  bool active = false;
  bool reliable_writes = true; ///< false: a kind of device whose writes carry no number, like iWARP's
  RdmaLink link = RdmaLink::Ethernet;
  uint16_t lid = 0;
  uint8_t mtu = 0;         ///< active one, as verbs count: 1 = 256 bytes, 5 = 4096
  std::vector<Entry> gids; ///< those that are not zero
  uint32_t most_queue_pairs = 0;
  uint32_t most_completions = 0; ///< of one completion queue
  uint32_t most_posts = 0;       ///< of one queue pair
  std::string problem;           ///< why it cannot be looked at further, a clause; empty: it can
};

/// As addresses are written: that of an IPv4 address as that.
std::string gid_text(const Gid& gid);
/// "InfiniBand", "RoCE v1", "RoCE v2"
const char* gid_kind_name(GidKind kind);
constexpr bool is_mapped_ipv4(const Gid& gid) {
  for (size_t i = 0; i < 12; ++i)
    if (gid[i] != (i < 10 ? 0 : 0xff))
      return false;
  return true;
}

inline constexpr uint8_t smallest_mtu = 1, largest_mtu = 5;
/// 0 for what none of these is.
constexpr uint32_t mtu_bytes(uint8_t mtu) { return mtu < smallest_mtu || mtu > largest_mtu ? 0 : 128U << mtu; }

} // namespace hetmp::dsm
