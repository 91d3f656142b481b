#include "runtime/tool/topology.hpp"

#include <hwloc.h>

namespace hetmp::tool {
namespace {

std::vector<int> cpus_of(hwloc_const_bitmap_t set) {
  std::vector<int> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
    cpus.push_back(cpu);
  return cpus;
}

std::vector<CpuGroup> numa_nodes(hwloc_topology_t machine) {
  std::vector<CpuGroup> groups;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)))
    groups.push_back({"NUMA node " + std::to_string(node->os_index), cpus_of(node->cpuset)});
  return groups;
}

std::vector<CpuGroup> core_kinds(hwloc_topology_t machine) {
  std::vector<CpuGroup> groups;
  const int count = hwloc_cpukinds_get_nr(machine, 0);
  for (int kind = 0; kind < count; ++kind) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int efficiency = -1;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_cpukinds_get_info(machine, unsigned(kind), set, &efficiency, &infos, &info, 0) == 0) {
      std::string name = "kind of core " + std::to_string(kind);
      for (unsigned i = 0; i < infos; ++i)
        name += std::string(i ? ", " : " (") + info[i].name + '=' + info[i].value;
      groups.push_back({infos ? name + ')' : name, cpus_of(set)});
    }
    hwloc_bitmap_free(set);
  }
  return groups;
}

} // namespace

Topology read_topology() {
  Topology result;
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine) != 0)
    return result;
  if (hwloc_topology_load(machine) == 0) {
    result.numa_nodes = numa_nodes(machine);
    result.core_kinds = core_kinds(machine);
  }
  hwloc_topology_destroy(machine);
  return result;
}

} // namespace hetmp::tool
