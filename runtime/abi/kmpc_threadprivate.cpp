// Threadprivate variables kept by the runtime.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/core/threadprivate.hpp"

using namespace hetmp::runtime;

HETMP_ENTRY void* __kmpc_threadprivate(const SourceLocation*, int32_t gtid, void* original, size_t bytes) {
  return threadprivate_copy(thread_of(gtid), original, bytes);
}

/// The compiler's own cache is not used: it would be one more array in the program's shared memory, indexed by thread
/// numbers that are unique in one process only.
HETMP_ENTRY void* __kmpc_threadprivate_cached(const SourceLocation*, int32_t gtid, void* original, size_t bytes,
                                              void*** /*cache*/) {
  return threadprivate_copy(thread_of(gtid), original, bytes);
}

HETMP_ENTRY void __kmpc_threadprivate_register(const SourceLocation*, void* original, void* (*construct)(void*),
                                               void* (*copy_construct)(void*, void*), void (*destroy)(void*)) {
  register_threadprivate(original, {construct, copy_construct, destroy});
}
