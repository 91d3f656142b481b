#include "dsm/transport/library_folder.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp::dsm {

std::string library_folder() {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&library_folder), &info) || !info.dli_fname || !realpath(info.dli_fname, path))
    return {};
  const std::string file = path;
  return file.substr(0, file.rfind('/'));
}

} // namespace hetmp::dsm
