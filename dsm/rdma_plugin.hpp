// The plugin that speaks with RDMA devices: libhetmp_verbs.so, which is built where libibverbs is and lies beside
// libhetmp.so.
#pragma once

#include "dsm/rdma_ports.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hetmp::dsm {

class RdmaDevice;

inline constexpr const char* rdma_plugin_file = "libhetmp_verbs.so";
inline constexpr uint32_t rdma_plugin_version = 1; ///< a plugin with another one is not used

/// What the plugin exports, by the name hetmp_verbs_plugin.
struct RdmaPlugin {
  uint32_t version;
  /// Loads what devices need besides (libibverbs loads a library for each kind). Empty, or why there is none.
  std::string (*prepare)();
  std::unique_ptr<RdmaDevice> (*make)();
  /// Calls `tell` for each port of each device, also for what cannot be used; where devices cannot be listed, once,
  /// without a device's name. What is told is valid within the call: unlike the DSM library, others who ask need not
  /// have the plugin's allocator.
  void (*ports)(void (*tell)(void* to, const RdmaPort& port), void* to);
};

/// The plugin in `folder`; null, and why in `problem`, a clause, if it cannot be had. It stays loaded, and what is
/// allocated for it is private to this process.
const RdmaPlugin* load_rdma_plugin(const std::string& folder, std::string& problem);

/// All that it tells of. Empty, and why in `problem`, where there is no device.
std::vector<RdmaPort> rdma_ports(const RdmaPlugin& plugin, std::string& problem);

} // namespace hetmp::dsm

extern "C" const hetmp::dsm::RdmaPlugin* hetmp_verbs_plugin();
