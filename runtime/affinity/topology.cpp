#include "runtime/affinity/topology.hpp"

#include "base/library_folder.hpp"
#include "base/plugin.hpp"
#include "runtime/affinity/core_kinds.hpp"
#include "runtime/affinity/topology_plugin.hpp"

#include <dlfcn.h>

namespace hetmp::affinity {
namespace {

constexpr Plugin hwloc{topology_plugin_file, "hwloc", HETMP_WITH_HWLOC};

std::string own_folder() { return library_folder(reinterpret_cast<const void*>(&places_of_level)); }

const TopologyPlugin* load_plugin(const std::string& folder, std::string& problem) {
  void* library = hetmp::load_plugin(hwloc, folder, RTLD_LOCAL, problem);
  if (!library)
    return nullptr;
  using Entry = decltype(&hetmp_topology_plugin);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "hetmp_topology_plugin"));
  const TopologyPlugin* plugin = entry ? entry() : nullptr;
  if (plugin && plugin->version == topology_plugin_version)
    return plugin;
  problem = std::string(topology_plugin_file) + " belongs to another version of hetmp";
  return nullptr;
}

void add_place(void* into, const int* cpus, uint32_t count) {
  static_cast<std::vector<Place>*>(into)->emplace_back(cpus, cpus + count);
}

void add_kind(void* into, const PluginCoreKind& kind) {
  static_cast<std::vector<CoreKind>*>(into)->push_back(
      {{kind.cpus, kind.cpus + kind.count}, kind.rank, kind.capacity, kind.max_mhz, kind.base_mhz});
}

} // namespace

std::vector<Place> places_of_level(TopologyLevel level, const std::vector<int>& available, std::string& problem) {
  std::vector<Place> places;
  if (level == TopologyLevel::Threads) {
    for (const int cpu : available)
      places.push_back({cpu});
    return places;
  }
  const TopologyPlugin* plugin = load_plugin(own_folder(), problem);
  if (plugin && !plugin->groups(level, &places, add_place))
    problem = "the machine does not tell";
  return places;
}

CoreKinds read_core_kinds(const std::string& folder) {
  CoreKinds result;
  const TopologyPlugin* plugin = load_plugin(folder, result.problem);
  if (plugin && !plugin->kinds(&result.kinds, add_kind))
    result.problem = "the machine does not tell";
  if (result.kinds.size() < 2)
    result.kinds.clear();
  return result;
}

CoreKinds read_core_kinds() { return read_core_kinds(own_folder()); }

} // namespace hetmp::affinity
