// The contract between the runtime (affinity/topology.cpp) and libhetmp_topology.so, which it loads when places are
// named by a level of the machine, or nodes by kinds of cores. One function is exported, hetmp_topology_plugin(). No
// memory changes hands and nothing is thrown across.
#pragma once

#include "runtime/affinity/topology_level.hpp"

#include <cstdint>

namespace hetmp::affinity {

inline constexpr uint32_t topology_plugin_version = 2; ///< another version's plugin is not used
inline constexpr const char* topology_plugin_file = "libhetmp_topology.so";

/// A CoreKind (core_kinds.hpp) on its way.
struct PluginCoreKind {
  const int* cpus; ///< in ascending order
  uint32_t count;
  int32_t rank;
  double capacity, max_mhz, base_mhz;
};

struct TopologyPlugin {
  uint32_t version;
  /// Calls `add` for each group of CPUs of the level, in the order of the machine, with the CPUs' numbers in ascending
  /// order. False, and nothing added, if the machine tells nothing of it.
  bool (*groups)(TopologyLevel level, void* into, void (*add)(void* into, const int* cpus, uint32_t count));
  /// Calls `add` for each kind of core that the machine tells of, which may be none. False if the machine cannot be
  /// read at all.
  bool (*kinds)(void* into, void (*add)(void* into, const PluginCoreKind& kind));
};

} // namespace hetmp::affinity

extern "C" const hetmp::affinity::TopologyPlugin* hetmp_topology_plugin();
