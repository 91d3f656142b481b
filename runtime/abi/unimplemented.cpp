// Entries that are exported but not implemented yet: each ends the program with one line that names it.
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"

namespace {

constexpr int exit_code_not_implemented = 70; // EX_SOFTWARE of sysexits.h

[[noreturn]] __attribute__((cold, noinline)) void not_implemented(const char* name) {
  hetmp::die(exit_code_not_implemented, "%s is not implemented yet", name);
}

} // namespace

#define HETMP_UNIMPLEMENTED(name)                                                                                      \
  HETMP_ENTRY void name() __attribute__((noreturn));                                                                   \
  void name() { not_implemented(#name); }
#include "runtime/abi/unimplemented.def"
#undef HETMP_UNIMPLEMENTED
