#include "dsm/transport/rdma/verbs_or_tcp.hpp"

#include "dsm/transport/rdma/verbs_transport.hpp"
#include "dsm/transport/tcp_transport.hpp"

namespace hetmp::dsm {

void VerbsOrTcp::join(const Place& place) {
  auto verbs = std::make_unique<VerbsTransport>();
  why_tcp_ = verbs->try_to_join(place);
  if (why_tcp_.empty()) {
    one_ = std::move(verbs);
    return;
  }
  one_ = std::make_unique<TcpTransport>();
  one_->join(place);
}

const char* VerbsOrTcp::chosen() const { return why_tcp_.empty() ? "verbs" : "tcp"; }

} // namespace hetmp::dsm
