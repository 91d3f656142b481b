#include "runtime/tool/topology.hpp"

#include "base/machine/cpu_list.hpp"

#include <fstream>

namespace hetmp::tool {
namespace {

std::vector<int> list_in(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return parse_cpu_list(text).value_or(std::vector<int>{});
}

} // namespace

Topology read_topology() {
  Topology result;
  const std::string nodes = "/sys/devices/system/node/";
  for (int node : list_in(nodes + "online"))
    result.numa_nodes.push_back(
        {"NUMA node " + std::to_string(node), list_in(nodes + "node" + std::to_string(node) + "/cpulist")});
  // Hybrid x86 processors present each kind of core as a performance monitoring unit of its own.
  for (const char* kind : {"cpu_atom", "cpu_core"})
    if (auto cpus = list_in(std::string("/sys/devices/") + kind + "/cpus"); !cpus.empty())
      result.core_kinds.push_back({"kind of core " + std::string(kind), cpus});
  return result;
}

} // namespace hetmp::tool
