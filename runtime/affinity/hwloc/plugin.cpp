// libhetmp_topology.so: groups of CPUs and kinds of cores by hwloc.
#include "runtime/affinity/topology_plugin.hpp"

#include <hwloc.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace hetmp::affinity {
namespace {

using Adder = void (*)(void* into, const int* cpus, uint32_t count);

/// The whole machine as this process may use it; null if hwloc cannot read it.
hwloc_topology_t load_machine() {
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine) != 0)
    return nullptr;
  if (hwloc_topology_load(machine) == 0)
    return machine;
  hwloc_topology_destroy(machine);
  return nullptr;
}

std::vector<int> cpus_of(hwloc_const_cpuset_t set) {
  std::vector<int> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
    cpus.push_back(cpu);
  return cpus;
}

void add_group(hwloc_const_cpuset_t set, void* into, Adder add) {
  const std::vector<int> cpus = cpus_of(set);
  if (!cpus.empty())
    add(into, cpus.data(), uint32_t(cpus.size()));
}

bool add_objects(hwloc_topology_t machine, int depth, void* into, Adder add) {
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
    return false;
  const unsigned count = hwloc_get_nbobjs_by_depth(machine, depth);
  for (unsigned i = 0; i < count; ++i)
    add_group(hwloc_get_obj_by_depth(machine, depth, i)->cpuset, into, add);
  return count > 0;
}

/// Of the caches that several cores may share: the level nearest to memory.
int depth_of_last_caches(hwloc_topology_t machine) {
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE})
    if (const int depth = hwloc_get_type_depth(machine, type); depth >= 0)
      return depth;
  return HWLOC_TYPE_DEPTH_UNKNOWN;
}

int depth_of(hwloc_topology_t machine, TopologyLevel level) {
  switch (level) {
  case TopologyLevel::Threads:
    return hwloc_get_type_depth(machine, HWLOC_OBJ_PU);
  case TopologyLevel::Cores:
    return hwloc_get_type_depth(machine, HWLOC_OBJ_CORE);
  case TopologyLevel::LastLevelCaches:
    return depth_of_last_caches(machine);
  case TopologyLevel::NumaDomains:
    return hwloc_get_type_depth(machine, HWLOC_OBJ_NUMANODE); // a special depth, which the functions above take as well
  case TopologyLevel::Sockets:
    return hwloc_get_type_depth(machine, HWLOC_OBJ_PACKAGE);
  }
  return HWLOC_TYPE_DEPTH_UNKNOWN;
}

bool groups(TopologyLevel level, void* into, Adder add) {
  const hwloc_topology_t machine = load_machine();
  if (!machine)
    return false;
  const bool found = add_objects(machine, depth_of(machine, level), into, add);
  hwloc_topology_destroy(machine);
  return found;
}

/// What is told of a kind by this name, as a number; 0 if nothing is.
double figure(const hwloc_info_s* infos, unsigned count, const char* name) {
  for (unsigned i = 0; i < count; ++i)
    if (strcmp(infos[i].name, name) == 0)
      return strtod(infos[i].value, nullptr);
  return 0;
}

using KindAdder = void (*)(void* into, const PluginCoreKind& kind);

void add_kind(hwloc_topology_t machine, unsigned number, hwloc_bitmap_t set, void* into, KindAdder add) {
  int rank = -1;
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  if (hwloc_cpukinds_get_info(machine, number, set, &rank, &count, &infos, 0) != 0)
    return;
  const std::vector<int> cpus = cpus_of(set);
  if (!cpus.empty())
    add(into, {cpus.data(), uint32_t(cpus.size()), rank, figure(infos, count, "LinuxCapacity"),
               figure(infos, count, "FrequencyMaxMHz"), figure(infos, count, "FrequencyBaseMHz")});
}

bool kinds(void* into, KindAdder add) {
  const hwloc_topology_t machine = load_machine();
  if (!machine)
    return false;
  const int count = hwloc_cpukinds_get_nr(machine, 0);
  const hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (int kind = 0; set && kind < count; ++kind)
    add_kind(machine, unsigned(kind), set, into, add);
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(machine);
  return true;
}

constexpr TopologyPlugin plugin = {topology_plugin_version, groups, kinds};

} // namespace
} // namespace hetmp::affinity

#pragma GCC visibility push(default)
extern "C" const hetmp::affinity::TopologyPlugin* hetmp_topology_plugin() { return &hetmp::affinity::plugin; }
#pragma GCC visibility pop
