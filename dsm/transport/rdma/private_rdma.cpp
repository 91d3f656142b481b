#include "dsm/transport/rdma/private_rdma.hpp"

#include "base/private_section.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp::dsm {
namespace {

/// Where this library lies; empty: it cannot be told.
std::string own_folder() {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&load_private_rdma), &info) || !info.dli_fname || !realpath(info.dli_fname, path))
    return {};
  const std::string file = path;
  return file.substr(0, file.rfind('/'));
}

} // namespace

const RdmaPlugin* load_private_rdma(std::string& problem) {
  const PrivateSection section;
  const std::string folder = own_folder();
  if (folder.empty()) {
    problem = "it cannot be told where hetmp is installed";
    return nullptr;
  }
  const RdmaPlugin* const plugin = load_rdma_plugin(folder, problem);
  if (!plugin)
    return nullptr;
  problem = plugin->prepare();
  return problem.empty() ? plugin : nullptr;
}

} // namespace hetmp::dsm
