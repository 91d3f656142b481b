// Which CPUs belong together. With hwloc when the tool was built with it, from /sys otherwise.
#pragma once

#include <string>
#include <vector>

namespace hetmp::tool {

struct CpuGroup {
  std::string name; ///< "NUMA node 0", "kind of core 1 (CoreType=IntelAtom)"
  std::vector<int> cpus;
};

struct Topology {
  std::vector<CpuGroup> numa_nodes;
  std::vector<CpuGroup> core_kinds; ///< slowest first, as hwloc ranks them; empty = not known
};

Topology read_topology();

} // namespace hetmp::tool
