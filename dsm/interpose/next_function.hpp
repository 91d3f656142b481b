// What a function of a C++ library's goes on to that stands in front of it here.
#pragma once

#include "base/loaded_object.hpp"

#include <cstdint>
#include <dlfcn.h>

namespace hetmp::dsm {

/// A program in C may load the library when it wants, for one plugin: then it is in no order of search.
inline uintptr_t find_next(const char* name) {
  auto found = reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name));
  const auto here = reinterpret_cast<uintptr_t>(&find_next);
  if (found == 0)
    for_each_loaded_object([&](const LoadedObject& object) {
      if (found == 0 && !object.contains(here))
        found = object.find_function(name, "");
    });
  return found;
}

template <class Function> Function* next_of(const char* name) { return reinterpret_cast<Function*>(find_next(name)); }

} // namespace hetmp::dsm
