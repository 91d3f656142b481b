// The contract between the runtime (affinity/topology.cpp) and libhetmp_topology.so, which it loads when places are named by a level
// of the machine. One function is exported, hetmp_topology_plugin(). No memory changes hands and nothing is thrown across.
#pragma once

#include "runtime/affinity/topology_level.hpp"

#include <cstdint>

namespace hetmp::affinity {

inline constexpr uint32_t topology_plugin_version = 1; ///< another version's plugin is not used
inline constexpr const char* topology_plugin_file = "libhetmp_topology.so";

struct TopologyPlugin {
  uint32_t version;
  /// Calls `add` for each group of CPUs of the level, in the order of the machine, with the CPUs' numbers in ascending order. False,
  /// and nothing added, if the machine tells nothing of it.
  bool (*groups)(TopologyLevel level, void* into, void (*add)(void* into, const int* cpus, uint32_t count));
};

} // namespace hetmp::affinity

extern "C" const hetmp::affinity::TopologyPlugin* hetmp_topology_plugin();
