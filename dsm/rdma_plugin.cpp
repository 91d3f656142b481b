#include "dsm/rdma_plugin.hpp"

#include "base/plugin.hpp"
#include "base/private_section.hpp"

#include <dlfcn.h>

namespace hetmp::dsm {
namespace {

constexpr Plugin verbs{rdma_plugin_file, "libibverbs", HETMP_WITH_VERBS};

} // namespace

const RdmaPlugin* load_rdma_plugin(const std::string& folder, std::string& problem) {
  const PrivateSection section;
  // Not with RTLD_DEEPBIND: libibverbs loads providers, which would not have it, and one frees what the other has
  // allocated.
  void* library = load_plugin(verbs, folder, RTLD_LOCAL, problem);
  if (!library)
    return nullptr;
  const auto entry = reinterpret_cast<decltype(&hetmp_verbs_plugin)>(dlsym(library, "hetmp_verbs_plugin"));
  const RdmaPlugin* plugin = entry ? entry() : nullptr;
  if (plugin && plugin->version == rdma_plugin_version)
    return plugin;
  problem = folder + '/' + rdma_plugin_file + " belongs to another version of hetmp";
  return nullptr;
}

std::vector<RdmaPort> rdma_ports(const RdmaPlugin& plugin, std::string& problem) {
  const PrivateSection section;
  std::vector<RdmaPort> ports;
  plugin.ports([](void* to, const RdmaPort& port) { static_cast<std::vector<RdmaPort>*>(to)->push_back(port); },
               &ports);
  if (ports.size() == 1 && ports[0].device.empty()) {
    problem = ports[0].problem;
    ports.clear();
  }
  return ports;
}

} // namespace hetmp::dsm
