#include "dsm/transport/rdma/private_rdma.hpp"

#include "base/private_section.hpp"
#include "dsm/transport/library_folder.hpp"

namespace hetmp::dsm {
const RdmaPlugin* load_private_rdma(std::string& problem) {
  const PrivateSection section;
  const std::string folder = library_folder();
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
