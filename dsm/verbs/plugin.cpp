// libhetmp_verbs.so: see dsm/rdma_plugin.hpp.
#include "dsm/rdma_plugin.hpp"

#include "base/private_section.hpp"
#include "dsm/verbs/ports.hpp"
#include "dsm/verbs/verbs_device.hpp"

#include <cerrno>

namespace hetmp::dsm {
namespace {

/// Looking at the devices is what loads a library for each kind.
std::string prepare() {
  const PrivateSection section;
  int count = 0;
  const DeviceList list(ibv_get_device_list(&count));
  return !list ? why_no_list(errno) : count == 0 ? no_rdma_device : "";
}

std::unique_ptr<RdmaDevice> make() { return std::make_unique<VerbsDevice>(); }

void tell_ports(void (*tell)(void* to, const RdmaPort& port), void* to) {
  std::string problem;
  for (const RdmaPort& port : list_ports(problem))
    tell(to, port);
  if (problem.empty())
    return;
  RdmaPort none;
  none.problem = std::move(problem);
  tell(to, none);
}

constexpr RdmaPlugin plugin{rdma_plugin_version, prepare, make, tell_ports};

} // namespace
} // namespace hetmp::dsm

#pragma GCC visibility push(default)
extern "C" const hetmp::dsm::RdmaPlugin* hetmp_verbs_plugin() { return &hetmp::dsm::plugin; }
#pragma GCC visibility pop
