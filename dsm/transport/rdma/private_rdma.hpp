// What makes devices of RDMA in a node's process, where the plan asks for them.
#pragma once

#include "dsm/rdma_plugin.hpp"

#include <string>

namespace hetmp::dsm {

/// Loads the plugin beside this library, and what it loads for the devices that there are. To be called before the
/// memory is divided (find_globals()): their data stay private to each node, since its service thread uses them. Null,
/// and why in `problem`, if that is impossible.
const RdmaPlugin* load_private_rdma(std::string& problem);

} // namespace hetmp::dsm
