// How a device is opened, and its queue pairs connected.
#include "base/private_section.hpp"
#include "dsm/verbs/lock_limit.hpp"
#include "dsm/verbs/path.hpp"
#include "dsm/verbs/ports.hpp"
#include "dsm/verbs/verbs_device.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>

namespace hetmp::dsm {
namespace {

/// Messages of this size cost the device no read of memory. What it has no room for is not insisted on.
constexpr uint32_t wanted_inline_bytes = 128;

// What is not acknowledged is sent again after 4.096 us * 2^timeout, and after so many times its connection is at an
// end. With 7 some devices try for ever.
constexpr uint8_t retries = 6;
constexpr int64_t timeout_unit_ns = 4096;
constexpr uint8_t longest_timeout = 24, for_ever = 0;
/// A receive is always there, so a receiver that has none is a failure, and 7 would be for ever.
constexpr uint8_t receiver_retries = 6;
constexpr uint8_t receiver_timer = 12; ///< 0.64 ms
constexpr uint8_t most_hops = 64;

constexpr uint32_t most_nodes = 1U << 16; ///< a request's name has so much room for one

/// All that can be there at a time: of a connection that ends, also those of posts that do not report.
uint32_t completions_of(const RdmaDemand& demand) {
  const uint64_t all = uint64_t(demand.nodes - 1) * (uint64_t(demand.most_posts) + demand.most_arrivals);
  return uint32_t(std::min<uint64_t>(all, std::numeric_limits<uint32_t>::max()));
}

bool set_non_blocking(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

/// The smallest with which a connection outlasts the patience with a node that is silent.
uint8_t timeout_for(int64_t patience_ns) {
  uint8_t timeout = 14; // 67 ms
  while (timeout < longest_timeout && (timeout_unit_ns << timeout) * (retries + 1) < patience_ns)
    ++timeout;
  return timeout < longest_timeout ? timeout : for_ever;
}

uint64_t lock_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

bool draw_first_packet(uint32_t& number) {
  if (getrandom(&number, sizeof number, 0) != ssize_t(sizeof number))
    return false;
  number &= 0xffffff;
  return true;
}

} // namespace

std::string VerbsDevice::open(const RdmaDemand& demand) {
  const PrivateSection section;
  if (demand.nodes > most_nodes)
    return "RDMA connects " + std::to_string(most_nodes) + " nodes at most";
  rings_ = demand.rings;
  ring_bytes_ = demand.ring_bytes;
  most_posts_ = demand.most_posts;
  timeout_ = timeout_for(demand.patience_ns);
  for (const auto step : {&VerbsDevice::choose, &VerbsDevice::register_areas, &VerbsDevice::make_queue})
    if (std::string problem = (this->*step)(demand); !problem.empty())
      return problem;
  peers_.resize(demand.nodes);
  receives_.resize(demand.most_arrivals);
  for (size_t i = 0; i + 1 < receives_.size(); ++i)
    receives_[i].next = &receives_[i + 1];
  for (uint32_t node = 0; node < demand.nodes; ++node)
    if (node != demand.self)
      if (std::string problem = make_pair(node, demand); !problem.empty())
        return problem;
  return {};
}

std::string VerbsDevice::choose(const RdmaDemand& demand) {
  std::string problem;
  const auto ports = list_ports(problem);
  if (!problem.empty())
    return problem;
  PortDemand needs;
  needs.queue_pairs = demand.nodes - 1;
  needs.posts = std::max(demand.most_posts, demand.most_arrivals);
  needs.completions = completions_of(demand);
  port_ = choose_port(ports, demand.device, demand.address, needs);
  if (!port_.problem.empty())
    return port_.problem;
  context_ = open_device(port_.device);
  if (!context_)
    return port_.device + " cannot be opened: " + error_text(errno);
  if (!set_non_blocking(context_->async_fd))
    return port_.device + " gives no events: " + error_text(errno);
  domain_.reset(ibv_alloc_pd(context_.get()));
  return domain_ ? "" : not_made(demand, "protection domain", errno);
}

std::string VerbsDevice::register_areas(const RdmaDemand& demand) {
  const size_t bytes = demand.nodes * demand.ring_bytes;
  // After a fork() both would have the pages until one writes, and the writer, if it is this process, another page then
  // than the device.
  for (uint8_t* area : {demand.rings, demand.staging})
    if (madvise(area, bytes, MADV_DONTFORK) != 0)
      return "memory cannot be kept from forked processes: " + error_text(errno);
  // Each ring by itself: a node's key opens its own and no other.
  for (uint32_t node = 0; node < demand.nodes; ++node) {
    RegisteredMemory& ring = ring_memory_.emplace_back();
    if (node != demand.self)
      ring.reset(ibv_reg_mr(domain_.get(), demand.rings + node * demand.ring_bytes, demand.ring_bytes,
                            IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    if (node != demand.self && !ring)
      return not_registered(2 * bytes);
  }
  staging_memory_.reset(ibv_reg_mr(domain_.get(), demand.staging, bytes, 0));
  if (staging_memory_)
    return {};
  return not_registered(2 * bytes);
}

std::string VerbsDevice::not_registered(size_t bytes) const {
  return errno == ENOMEM ? why_not_locked(port_.device, bytes, lock_limit())
                         : port_.device + " registers no memory: " + error_text(errno);
}

/// Some devices' queues lie in memory of the process that is locked as well.
std::string VerbsDevice::not_made(const RdmaDemand& demand, const std::string& what, int error) const {
  const std::string problem = port_.device + " makes no " + what + ": " + error_text(error);
  return error == ENOMEM
             ? problem + "; " + why_not_locked(port_.device, 2 * demand.nodes * demand.ring_bytes, lock_limit())
             : problem;
}

/// One that cannot overflow: then the device would end connections, and the others would hear nothing of it.
std::string VerbsDevice::make_queue(const RdmaDemand& demand) {
  channel_.reset(ibv_create_comp_channel(context_.get()));
  if (!channel_ || !set_non_blocking(channel_->fd))
    return not_made(demand, "completion channel", errno);
  const uint32_t entries = completions_of(demand);
  queue_.reset(ibv_create_cq(context_.get(), int(std::max(entries, 1U)), nullptr, channel_.get(), 0));
  return queue_ ? "" : not_made(demand, "completion queue of " + std::to_string(entries) + " entries", errno);
}

/// 0 or an error.
int VerbsDevice::create_pair(Peer& peer, const RdmaDemand& demand, uint32_t inline_bytes) {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = queue_.get();
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap.max_send_wr = demand.most_posts;
  attributes.cap.max_recv_wr = demand.most_arrivals;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = inline_bytes;
  peer.pair.reset(ibv_create_qp(domain_.get(), &attributes));
  peer.most_inline = attributes.cap.max_inline_data;
  return peer.pair ? 0 : errno;
}

std::string VerbsDevice::make_pair(uint32_t node, const RdmaDemand& demand) {
  Peer& peer = peers_[node];
  if (create_pair(peer, demand, wanted_inline_bytes) != 0)
    if (const int error = create_pair(peer, demand, 0))
      return not_made(demand, "queue pair", error);
  if (!draw_first_packet(peer.first_packet))
    return "the system gives no random numbers: " + error_text(errno);
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = port_.port;
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  if (const int error = ibv_modify_qp(peer.pair.get(), &attributes,
                                      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    return port_.device + " does not prepare a queue pair: " + error_text(error);
  if (!put_back(node, demand.most_arrivals))
    return port_.device + " takes no receives";

  peer.staging = demand.staging + node * demand.ring_bytes;
  peer.chain.resize(demand.most_posts);
  peer.pieces.resize(demand.most_posts);
  for (size_t i = 0; i < peer.chain.size(); ++i) {
    peer.pieces[i].lkey = staging_memory_->lkey;
    peer.chain[i].sg_list = &peer.pieces[i];
    peer.chain[i].opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    peer.chain[i].next = i + 1 < peer.chain.size() ? &peer.chain[i + 1] : nullptr;
  }
  return {};
}

RdmaCard VerbsDevice::card(uint32_t peer) const {
  RdmaCard card;
  card.gid = port_.gid.gid;
  card.kind = port_.gid.kind;
  card.lid = port_.lid;
  card.mtu = port_.mtu;
  card.queue_pair = peers_[peer].pair->qp_num;
  card.first_packet = peers_[peer].first_packet;
  card.ring = reinterpret_cast<uintptr_t>(rings_ + peer * ring_bytes_);
  card.ring_key = ring_memory_[peer]->rkey;
  return card;
}

std::string VerbsDevice::connect(uint32_t node, const RdmaCard& theirs) {
  const PrivateSection section;
  const RdmaPath path = find_path(port_, theirs);
  if (!path.problem.empty())
    return path.problem;
  ibv_ah_attr way{};
  way.port_num = port_.port;
  way.dlid = path.lid;
  way.is_global = uint8_t(path.global);
  if (path.global) {
    std::copy(theirs.gid.begin(), theirs.gid.end(), std::begin(way.grh.dgid.raw));
    way.grh.sgid_index = uint8_t(port_.gid.index);
    way.grh.hop_limit = most_hops;
  }
  Peer& peer = peers_[node];
  if (std::string problem = begin_receiving(peer, theirs, way, path.mtu); !problem.empty())
    return problem;
  peer.ring = theirs.ring;
  for (ibv_send_wr& request : peer.chain)
    request.wr.rdma.rkey = theirs.ring_key;
  return begin_sending(peer);
}

std::string VerbsDevice::begin_receiving(const Peer& peer, const RdmaCard& theirs, const ibv_ah_attr& way,
                                         uint8_t mtu) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.ah_attr = way;
  attributes.path_mtu = ibv_mtu(mtu);
  attributes.dest_qp_num = theirs.queue_pair;
  attributes.rq_psn = theirs.first_packet;
  attributes.max_dest_rd_atomic = 1; // nobody reads, but not every device takes 0
  attributes.min_rnr_timer = receiver_timer;
  const int error = ibv_modify_qp(peer.pair.get(), &attributes,
                                  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  return error == 0 ? "" : "cannot be reached from " + description() + ": " + error_text(error);
}

std::string VerbsDevice::begin_sending(const Peer& peer) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = peer.first_packet;
  attributes.timeout = timeout_;
  attributes.retry_cnt = retries;
  attributes.rnr_retry = receiver_retries;
  attributes.max_rd_atomic = 1;
  const int error = ibv_modify_qp(peer.pair.get(), &attributes,
                                  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                      IBV_QP_MAX_QP_RD_ATOMIC);
  return error == 0 ? "" : "cannot be written to from " + description() + ": " + error_text(error);
}

std::string VerbsDevice::description() const {
  return port_.device + " port " + std::to_string(port_.port) + " (" + gid_kind_name(port_.gid.kind) + ", GID " +
         std::to_string(port_.gid.index) + ", " + gid_text(port_.gid.gid) + ")";
}

} // namespace hetmp::dsm
