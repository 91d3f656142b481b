// dlopen. In processes that are no node the dynamic linker does it as ever.
#include "dsm/interpose/calling_process.hpp"
#include "dsm/process/late_objects.hpp"

#include <dlfcn.h>

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" void* dlopen(const char* file, int flags) {
  NodeProcess* process = process_of_caller();
  if (process && file && !(flags & RTLD_NOLOAD))
    return (process->has_started() ? load_late : load_early)(file, flags, __builtin_return_address(0));
  const auto real = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  // A jump, not a call, when optimised: the dynamic linker looks at who calls, for that one's search path.
  return real(file, flags);
}
#pragma GCC visibility pop
