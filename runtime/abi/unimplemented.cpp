// Entries that are exported but not implemented yet: each ends the program with one line that names it.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"

namespace {

[[noreturn]] __attribute__((cold, noinline)) void not_implemented(const char* name) {
  hetmp::die(hetmp::exit_code::software, "%s is not implemented yet", name);
}

} // namespace

#define HETMP_UNIMPLEMENTED(name)                                                                                      \
  HETMP_ENTRY void name() __attribute__((noreturn));                                                                   \
  void name() { not_implemented(#name); }
#include "runtime/abi/unimplemented.def"
#undef HETMP_UNIMPLEMENTED
