// Assertions, in tiers: invariants of the runtime itself, never of what a program or another host says.
//
// HETMP_CHECKS (a variable of CMake) is the tier of a build:
//   0  none: a check compiles to nothing, but its condition must still compile;
//   1  HETMP_CHECK: what costs no more than the code around it;
//   2  also HETMP_CHECK_COSTLY: what walks a structure, or takes a look at each step of a loop.
//
// A check may stand wherever code of hetmp runs: in a signal handler, in the service thread, before main(). A failed
// one writes one line to standard error and aborts; it allocates nothing and takes no lock of hetmp. Conditions have no
// effects, touch only memory that their place may touch anyway, and hold whatever other threads do meanwhile.
#pragma once

#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef HETMP_CHECKS
#define HETMP_CHECKS 0
#endif

namespace hetmp {

/// `line` up to the function's name. By a system call, not by a function of the C library that a program may have put
/// its own in front of.
[[noreturn]] __attribute__((cold, noinline)) inline void check_failed(const char* line, const char* function) noexcept {
  const auto part = [](const char* text) { return iovec{const_cast<char*>(text), strlen(text)}; };
  const iovec parts[] = {part(line), part(function), part(")\n")};
  syscall(SYS_writev, STDERR_FILENO, parts, sizeof parts / sizeof parts[0]); // nowhere to report that it failed
  abort();
}

} // namespace hetmp

#define HETMP_CHECK_TEXT_OF(number) #number
#define HETMP_CHECK_NUMBER(number) HETMP_CHECK_TEXT_OF(number)
#define HETMP_CHECK_FROM(tier, text, ...)                                                                              \
  do {                                                                                                                 \
    if constexpr (HETMP_CHECKS >= (tier)) {                                                                            \
      if (__builtin_expect(!(__VA_ARGS__), 0))                                                                         \
        ::hetmp::check_failed("hetmp: check failed: " text ", " __FILE__ ":" HETMP_CHECK_NUMBER(__LINE__) " (",        \
                              __func__);                                                                               \
    }                                                                                                                  \
  } while (false)

/// The condition holds whenever control comes here; from tier 1.
#define HETMP_CHECK(...) HETMP_CHECK_FROM(1, #__VA_ARGS__, __VA_ARGS__)
/// The same, for conditions that cost more than the code around them; from tier 2.
#define HETMP_CHECK_COSTLY(...) HETMP_CHECK_FROM(2, #__VA_ARGS__, __VA_ARGS__)
