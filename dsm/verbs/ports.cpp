#include "dsm/verbs/ports.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace hetmp::dsm {
namespace {

GidKind kind_of(uint32_t type) {
  switch (type) {
  case IBV_GID_TYPE_IB:
    return GidKind::InfiniBand;
  case IBV_GID_TYPE_ROCE_V1:
    return GidKind::RoceV1;
  default:
    return GidKind::RoceV2;
  }
}

/// Of all ports of a device at once, which is one call. Empty, or what is wrong.
std::string read_gids(ibv_context* context, size_t most, std::vector<RdmaPort>& ports) {
  std::vector<ibv_gid_entry> table(most);
  const ssize_t count = ibv_query_gid_table(context, table.data(), table.size(), 0);
  if (count < 0)
    return "does not tell its GIDs: " + error_text(int(-count));
  table.resize(size_t(count));
  for (const ibv_gid_entry& entry : table)
    for (RdmaPort& port : ports)
      if (port.port == entry.port_num) {
        RdmaPort::Entry& gid = port.gids.emplace_back();
        gid.index = entry.gid_index;
        gid.kind = kind_of(entry.gid_type);
        std::copy(std::begin(entry.gid.raw), std::end(entry.gid.raw), gid.gid.begin());
      }
  return {};
}

/// Ports of an open device are added to `ports`. Empty, or what is wrong with the device.
std::string look_at(ibv_context* context, const RdmaPort& like, std::vector<RdmaPort>& ports) {
  ibv_device_attr device{};
  if (const int error = ibv_query_device(context, &device))
    return "does not tell what it can do: " + error_text(error);
  size_t most_gids = 0;
  for (unsigned number = 1; number <= device.phys_port_cnt; ++number) {
    ibv_port_attr attributes{};
    if (const int error = ibv_query_port(context, uint8_t(number), &attributes))
      return "does not tell of its port " + std::to_string(number) + ": " + error_text(error);
    RdmaPort& port = ports.emplace_back(like);
    port.port = uint8_t(number);
    port.active = attributes.state == IBV_PORT_ACTIVE;
    port.link = attributes.link_layer == IBV_LINK_LAYER_ETHERNET ? RdmaLink::Ethernet : RdmaLink::InfiniBand;
    port.lid = attributes.lid;
    port.mtu = uint8_t(attributes.active_mtu);
    port.most_queue_pairs = uint32_t(std::max(device.max_qp, 0));
    port.most_completions = uint32_t(std::max(device.max_cqe, 0));
    port.most_posts = uint32_t(std::max(device.max_qp_wr, 0));
    most_gids += size_t(std::max(attributes.gid_tbl_len, 0));
  }
  return read_gids(context, most_gids, ports);
}

DeviceList list_devices(size_t& count) {
  int devices = 0;
  errno = 0;
  DeviceList list(ibv_get_device_list(&devices));
  count = list ? size_t(devices) : 0;
  return list;
}

} // namespace

std::string error_text(int error) {
  const char* text = strerrordesc_np(error);
  return text ? text : "error " + std::to_string(error);
}

std::string why_no_list(int error) {
  return error == ENOSYS ? std::string(no_rdma_device) + ": the kernel's module ib_uverbs is not loaded"
                         : "RDMA devices cannot be listed: " + error_text(error);
}

std::vector<RdmaPort> list_ports(std::string& problem) {
  std::vector<RdmaPort> all;
  size_t count = 0;
  const DeviceList list = list_devices(count);
  if (!list)
    problem = why_no_list(errno);
  else if (count == 0)
    problem = no_rdma_device;
  for (size_t i = 0; i < count; ++i) {
    ibv_device* device = list.get()[i];
    RdmaPort like;
    like.device = ibv_get_device_name(device);
    like.reliable_writes = device->transport_type == IBV_TRANSPORT_IB;
    std::vector<RdmaPort> ports;
    const DeviceContext context(ibv_open_device(device));
    std::string trouble = context ? look_at(context.get(), like, ports) : "cannot be opened: " + error_text(errno);
    if (!trouble.empty()) {
      like.problem = std::move(trouble);
      ports = {like};
    }
    all.insert(all.end(), ports.begin(), ports.end());
  }
  return all;
}

DeviceContext open_device(const std::string& name) {
  size_t count = 0;
  const DeviceList list = list_devices(count);
  for (size_t i = 0; i < count; ++i)
    if (name == ibv_get_device_name(list.get()[i]))
      return DeviceContext(ibv_open_device(list.get()[i]));
  errno = ENODEV;
  return nullptr;
}

} // namespace hetmp::dsm
