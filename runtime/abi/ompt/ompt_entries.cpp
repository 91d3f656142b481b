// The tools interface's names in the library (OMPT), and omp_control_tool.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/ompt/events.hpp"

/// A tool in the program or preloaded defines the real one; this answer, "no tool", is for when there is
/// none.
HETMP_ENTRY __attribute__((weak)) void* ompt_start_tool(unsigned, const char*) { return nullptr; }

/// Called by the offloading library to share a tool with the host runtime; what devices do no tool is told.
HETMP_ENTRY void ompt_libomp_connect(void*) {}

int omp_control_tool(int command, int modifier, void* argument) {
  return hetmp::runtime::ompt::entered(__builtin_return_address(0), [&] {
    return hetmp::runtime::ompt::control_tool(uint64_t(command), uint64_t(modifier), argument);
  });
}
