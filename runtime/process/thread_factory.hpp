// How worker threads come into being: as ordinary POSIX threads, or where nodes are processes as threads with stacks in
// the memory that these share.
#pragma once

#include <cstddef>

namespace hetmp::runtime {

/// Starts a detached thread; `stack_bytes` 0 = the system's default. Returns 0 or an errno value.
int make_thread(void* (*body)(void*), void* argument, size_t stack_bytes);

/// The same for a thread that never touches what the program has.
int make_posix_thread(void* (*body)(void*), void* argument, size_t stack_bytes);

} // namespace hetmp::runtime
