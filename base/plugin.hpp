// Libraries that lie beside libhetmp.so, are built where what they need is installed, and are loaded when they are
// wanted.
#pragma once

#include <string>

namespace hetmp {

struct Plugin {
  const char* file;  ///< its name, without a folder
  const char* needs; ///< the software without which it cannot be built
  bool built;        ///< it belongs to this build of hetmp
};

/// The handle that dlopen() gives for it, with `scope` beside RTLD_NOW; null if it cannot be had, and why in `problem`,
/// a clause that tells apart: the process has more rights than its caller; hetmp was built without it; the file is
/// missing; the file cannot be loaded. It is not closed again.
void* load_plugin(const Plugin& plugin, const std::string& folder, int scope, std::string& problem);

} // namespace hetmp
