#include "dsm/transport/rdma_plugin.hpp"

#include "base/plugin.hpp"
#include "base/private_section.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp::dsm {
namespace {

constexpr const char* plugin_file = "libhetmp_verbs.so";
constexpr Plugin verbs{plugin_file, "libibverbs", HETMP_WITH_VERBS};

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
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // which refuse it
  constexpr int scope = RTLD_LOCAL;
#else
  constexpr int scope = RTLD_LOCAL | RTLD_DEEPBIND; // a program may define some of libibverbs' names itself
#endif
  void* const library = load_plugin(verbs, folder, scope, problem);
  if (!library)
    return nullptr;
  using Entry = const RdmaPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "hetmp_verbs_plugin"));
  const RdmaPlugin* const plugin = entry ? entry() : nullptr;
  if (!plugin || plugin->version != rdma_plugin_version) {
    problem = folder + '/' + plugin_file + " belongs to another version of hetmp";
    return nullptr;
  }
  problem = plugin->prepare();
  return problem.empty() ? plugin : nullptr;
}

} // namespace hetmp::dsm
