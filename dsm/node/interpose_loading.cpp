// dlopen. Before there are other nodes, and in other processes, the dynamic linker does it as ever.
#include "dsm/node/late_objects.hpp"
#include "dsm/node/node_process.hpp"
#include "dsm/node/private_threads.hpp"

#include <dlfcn.h>

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" void* dlopen(const char* file, int flags) {
  NodeProcess* process = allocates_privately ? nullptr : NodeProcess::instance();
  if (process && process->has_started() && file && !(flags & RTLD_NOLOAD))
    return load_late(file, flags, __builtin_return_address(0));
  static const auto real = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  // A jump, not a call, when optimised: the dynamic linker looks at who calls, for that one's search path.
  return real(file, flags);
}
#pragma GCC visibility pop
