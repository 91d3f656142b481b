// How worker threads come into being: ordinary POSIX threads, unless whoever joins node processes puts a maker of
// threads with shared stacks here.
#pragma once

#include <cstddef>

namespace hetmp::runtime {

/// Starts a detached thread; `stack_bytes` 0 = the system's default. Returns 0 or an errno value.
using ThreadMaker = int (*)(void* (*body)(void*), void* argument, size_t stack_bytes);

int make_posix_thread(void* (*body)(void*), void* argument, size_t stack_bytes);

/// In force for all workers created from now on.
extern ThreadMaker make_thread;

} // namespace hetmp::runtime
