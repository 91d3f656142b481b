// The tools interface (OMPT) is not offered: no tool is looked for and none is ever started.
#include "runtime/abi/entry.hpp"

/// A tool in the program or preloaded defines the real one; this answer, "no tool", is for when there is
/// none.
HETMP_ENTRY __attribute__((weak)) void* ompt_start_tool(unsigned, const char*) { return nullptr; }

/// Called by the offloading library to share a tool with the host runtime; without a tool there is nothing to
/// share.
HETMP_ENTRY void ompt_libomp_connect(void*) {}
