// How worker threads come into being: as ordinary POSIX threads, or where nodes are processes as threads with stacks in
// the memory that these share.
#pragma once

#include "base/machine/own_threads.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

/// Starts a detached thread; `stack_bytes` 0 = the system's default. Returns 0 or an errno value.
int make_thread(void* (*body)(void*), void* argument, size_t stack_bytes);

/// The same for a thread that never touches what the program has.
int make_posix_thread(void* (*body)(void*), void* argument, size_t stack_bytes);

/// Whether the user has been told that there can be no more: one line for a program (say_once()).
bool& shortage_told();

/// Those that these have started.
OwnThreads::Count own_threads();
/// In a forked child, which has none of them.
void forget_own_threads();

/// The initial thread has left by pthread_exit(): the program ends with its last thread, by success, though the
/// runtime's are still there. As with libgomp, whose threads end with the one that they work for.
void end_with_last_thread();

} // namespace hetmp::runtime
