// Calling the function a compiler outlined from a parallel region.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t most_arguments = 1024;

/// Functions that call what a compiler has outlined, and touch nothing but the stack when that has returned: they may
/// be returned to, and return, on another node (dsm/fabric.hpp, Journey).
#define HETMP_CALLS_PROGRAM __attribute__((section("hetmp_calls"), noinline))
struct CodeRange {
  const void* begin;
  const void* end;
};
CodeRange code_that_calls_program();

/// Calls microtask(&gtid, &thread_number, arguments[0], ..., arguments[count - 1]). `count` is at most most_arguments.
void invoke_microtask(void* microtask, int gtid, int thread_number, uint32_t count, void* const* arguments);

/// Calls an outlined function in the way of the compiler that made it.
using Invoker = void (*)(void* function, int gtid, int thread_number, uint32_t count, void* const* arguments);

} // namespace hetmp::runtime
