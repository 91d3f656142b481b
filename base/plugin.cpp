#include "base/plugin.hpp"

#include "base/environment.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace hetmp {
namespace {

/// What another build has left there serves as well, so only what is not there is asked for.
std::string why_missing(const Plugin& plugin, const std::string& path) {
  if (!plugin.built)
    return std::string("hetmp was built without ") + plugin.needs + " (there is no " + path + ")";
  return "there is no " + path + ", which belongs to this build of hetmp: build or install the rest of it";
}

} // namespace

void* load_plugin(const Plugin& plugin, const std::string& folder, int scope, std::string& problem) {
  if (is_privileged()) { // the software behind it would believe variables of its own, which name files and folders
    problem = no_privileged_plugins;
    return nullptr;
  }
  const std::string path = folder + '/' + plugin.file;
  if (access(path.c_str(), F_OK) != 0) {
    problem = why_missing(plugin, path);
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | scope);
  if (library)
    return library;
  const char* why = dlerror();
  problem = path + " cannot be loaded";
  if (why)
    problem += std::string(": ") + why;
  return nullptr;
}

} // namespace hetmp
