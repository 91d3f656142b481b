// LLVM's offloading library (libomptarget), where the process has one: it knows the devices, and its routines stand
// behind this library's in the order of search.
#pragma once

#include <dlfcn.h>

namespace hetmp::runtime {

/// Its routine of that name, null without one. The version is its own: neither libomp nor libgomp, which have some of
/// the names too, is found by it. Looked up each time, because the library may come and go.
template <typename Function> Function* of_offloading_library(const char* name) {
  return reinterpret_cast<Function*>(dlvsym(RTLD_DEFAULT, name, "VERS1.0"));
}

} // namespace hetmp::runtime
