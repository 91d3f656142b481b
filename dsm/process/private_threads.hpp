// Threads that serve page faults. Nothing they use may lie in memory whose faults they serve.
//
// They are made before a node forgets the others' memory and begins to serve its own. To make one the C library writes
// to variables of its own, some of which a program may have among its data (copy relocations: __libc_single_threaded),
// and allocates, perhaps by a pointer that lies there. A page that is touched after its content has gone and before
// userfaultfd watches it would stay zeros for ever. And once faults are served, making a thread takes locks of the
// dynamic linker that somebody may hold who waits for a page: so the thread for errands is made in good time, too.
#pragma once

#include <cstdint>

namespace hetmp::dsm {

/// What the calling thread is to whoever gives it memory.
enum class ThreadKind : uint8_t {
  Program, ///< it gets what nodes share
  Private, ///< what is its process's alone, for a while
  Service, ///< the same, always: it is the node's service thread
};
class BlockCache;
/// What the allocator knows of the calling thread.
struct ThreadMemory {
  ThreadKind kind = ThreadKind::Program;
  bool gets_no_cache = false;  ///< any more
  BlockCache* cache = nullptr; ///< null: none
};
extern constinit thread_local ThreadMemory thread_memory;

/// The calling thread's allocations must be private: always on service threads, on any thread while it creates one (the
/// C library allocates the new thread's tables in the creating thread), and in a PrivateSection.
inline bool must_allocate_privately() { return thread_memory.kind != ThreadKind::Program; }

inline bool on_service_thread() { return thread_memory.kind == ThreadKind::Service; }

/// From now on, or no longer; returns how it was before. A service thread always does.
inline bool allocate_privately(bool privately) {
  const bool before = must_allocate_privately();
  if (!on_service_thread())
    thread_memory.kind = privately ? ThreadKind::Private : ThreadKind::Program;
  return before;
}

/// A detached thread with private stack and private bookkeeping. When it returns, the thread needs nothing more of
/// memory that nodes share: not even where the program has a `malloc` of its own, which the dynamic linker then uses
/// for the thread's tables. Returns 0 or an errno value.
int start_private_thread(void* (*body)(void*), void* argument);

/// The same; ends the program if it cannot be created.
void create_private_thread(void* (*body)(void*), void* argument);

} // namespace hetmp::dsm
