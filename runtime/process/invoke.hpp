// Calling the function a compiler outlined from a parallel region.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t most_arguments = 1024;

/// Calls microtask(&gtid, &thread_number, arguments[0], ..., arguments[count - 1]). `count` is at most most_arguments.
void invoke_microtask(void* microtask, int gtid, int thread_number, uint32_t count, void* const* arguments);

/// Calls an outlined function in the way of the compiler that made it.
using Invoker = void (*)(void* function, int gtid, int thread_number, uint32_t count, void* const* arguments);

} // namespace hetmp::runtime
