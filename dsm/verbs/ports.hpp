// What devices there are, as libibverbs tells of them.
#pragma once

#include "dsm/rdma_ports.hpp"
#include "dsm/verbs/handles.hpp"

#include <string>
#include <vector>

namespace hetmp::dsm {

/// All ports of all devices; a device that cannot be looked at as one with a problem. Empty, and why in `problem`,
/// where there is no device.
std::vector<RdmaPort> list_ports(std::string& problem);

/// Null, and errno, if it cannot be opened.
DeviceContext open_device(const std::string& name);

/// A clause about what ibv_get_device_list() left in errno when it gave none.
std::string why_no_list(int error);
std::string error_text(int error);

inline constexpr const char* no_rdma_device = "this machine has no RDMA device";

} // namespace hetmp::dsm
