// Threadprivate variables kept by the runtime.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/team/threadprivate.hpp"

using namespace hetmp::runtime;

HETMP_ENTRY void* __kmpc_threadprivate(const SourceLocation*, int32_t gtid, void* original, size_t bytes) {
  return threadprivate_copy(thread_of(gtid), original, bytes).copy;
}

/// The compiler's own cache is not used: it would be one more array in the program's shared memory, indexed by thread
/// numbers that are unique in one process only.
HETMP_ENTRY void* __kmpc_threadprivate_cached(const SourceLocation*, int32_t gtid, void* original, size_t bytes,
                                              void*** /*cache*/) {
  return threadprivate_copy(thread_of(gtid), original, bytes).copy;
}

HETMP_ENTRY void __kmpc_threadprivate_register(const SourceLocation*, void* original, void* (*construct)(void*),
                                               void* (*copy_construct)(void*, void*), void (*destroy)(void*)) {
  register_threadprivate(original, ThreadprivateFunctions{construct, copy_construct, destroy});
}

/// Of an array of so many objects.
HETMP_ENTRY void __kmpc_threadprivate_register_vec(const SourceLocation*, void* original,
                                                   void* (*construct)(void*, size_t),
                                                   void* (*copy_construct)(void*, void*, size_t),
                                                   void (*destroy)(void*, size_t), size_t elements) {
  register_threadprivate(original, ThreadprivateArrayFunctions{construct, copy_construct, destroy, elements});
}

/// Copies start with what is at `value`, but for those of a variable that has some already.
HETMP_ENTRY void kmp_threadprivate_insert_private_data(int, void* original, void* value, size_t bytes) {
  set_threadprivate_value(original, value, bytes);
}

/// The thread's copy, made if need be.
HETMP_ENTRY ThreadprivateCopy* kmp_threadprivate_insert(int gtid, void* original, void* value, size_t bytes) {
  set_threadprivate_value(original, value, bytes);
  return &threadprivate_copy(thread_of(gtid), original, bytes);
}
