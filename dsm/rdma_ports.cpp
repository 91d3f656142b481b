#include "dsm/rdma_ports.hpp"

#include <arpa/inet.h>

namespace hetmp::dsm {

std::string gid_text(const Gid& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  const bool ipv4 = is_mapped_ipv4(gid);
  inet_ntop(ipv4 ? AF_INET : AF_INET6, gid.data() + (ipv4 ? 12 : 0), text, sizeof text);
  return text;
}

const char* gid_kind_name(GidKind kind) {
  switch (kind) {
  case GidKind::InfiniBand:
    return "InfiniBand";
  case GidKind::RoceV1:
    return "RoCE v1";
  case GidKind::RoceV2:
    break;
  }
  return "RoCE v2";
}

} // namespace hetmp::dsm
