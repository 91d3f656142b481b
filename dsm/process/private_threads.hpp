// Threads that serve page faults. Nothing they use may lie in memory whose faults they serve.
#pragma once

namespace hetmp::dsm {

/// True while the calling thread's allocations must be private: always on service threads, on any thread while it
/// creates one (the C library allocates the new thread's tables in the creating thread), and in a PrivateSection.
extern thread_local bool allocates_privately;

/// True on the node's service thread.
extern thread_local bool is_service_thread;

/// A detached thread with private stack and private bookkeeping. When it returns, the thread needs nothing more of
/// memory that nodes share: not even where the program has a `malloc` of its own, which the dynamic linker then uses
/// for the thread's tables. Returns 0 or an errno value.
int start_private_thread(void* (*body)(void*), void* argument);

/// The same; ends the program if it cannot be created.
void create_private_thread(void* (*body)(void*), void* argument);

} // namespace hetmp::dsm
