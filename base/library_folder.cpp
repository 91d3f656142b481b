#include "base/library_folder.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

namespace hetmp {

std::string library_folder(const void* code) {
  Dl_info info;
  char resolved[PATH_MAX];
  if (!dladdr(code, &info) || !info.dli_fname || !realpath(info.dli_fname, resolved))
    return ".";
  const std::string path = resolved;
  return path.substr(0, path.rfind('/'));
}

} // namespace hetmp
