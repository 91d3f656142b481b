// Calling the function a compiler outlined from a parallel region.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t most_arguments = 1024;

/// Calls microtask(&gtid, &thread_number, arguments[0], ..., arguments[count - 1]). `count` is at most most_arguments.
void invoke_microtask(void* microtask, int gtid, int thread_number, uint32_t count, void* const* arguments);

/// The same, with the microtask's frame on a page of the stack that holds nothing of the callers. Shared variables of
/// a region lie in its caller's frame: were they in one page with the primary's own frame of the microtask, that page
/// would wander between nodes all the time.
void invoke_microtask_on_fresh_page(void* microtask, int gtid, int thread_number, uint32_t count,
                                    void* const* arguments);

} // namespace hetmp::runtime
