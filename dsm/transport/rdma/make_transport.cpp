#include "dsm/transport/rdma/make_transport.hpp"

#include "dsm/transport/rdma/verbs_or_tcp.hpp"
#include "dsm/transport/rdma/verbs_transport.hpp"
#include "dsm/transport/shared_memory_transport.hpp"
#include "dsm/transport/tcp_transport.hpp"

namespace hetmp::dsm {

std::unique_ptr<Transport> make_transport(const TransportKind& kind) {
  static constexpr auto descriptors = describe_transports(transport_table);
  return descriptors[size_t(&kind - transport_kinds.data())].make();
}

} // namespace hetmp::dsm
