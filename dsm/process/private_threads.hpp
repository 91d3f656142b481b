// Threads that serve page faults. Nothing they use may lie in memory whose faults they serve.
//
// They are made before a node forgets the others' memory and begins to serve its own. To make one the C library writes
// to variables of its own, some of which a program may have among its data (copy relocations: __libc_single_threaded),
// and allocates, perhaps by a pointer that lies there. A page that is touched after its content has gone and before
// userfaultfd watches it would stay zeros for ever. And once faults are served, making a thread takes locks of the
// dynamic linker that somebody may hold who waits for a page: so the thread for errands is made in good time, too.
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
