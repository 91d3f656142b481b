// Threadprivate variables kept by the runtime.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/team/threadprivate.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <unordered_map>

using namespace hetmp::runtime;

/// libomp's struct private_common: a thread's copy of a variable.
struct ThreadprivateRecord {
  ThreadprivateRecord* next; ///< links of libomp's tables: null here
  ThreadprivateRecord* link;
  void* original;
  void* copy;
  size_t bytes;
};

namespace {

class RecordsOfCopies {
 public:
  /// Stays for as long as the copy does; one that lies where another one was takes that one's record.
  ThreadprivateRecord* make(void* original, void* copy, size_t bytes) {
    FutexLockGuard guard(lock_);
    if (!records_)
      records_ = new std::unordered_map<void*, ThreadprivateRecord>;
    ThreadprivateRecord& record = (*records_)[copy];
    record = {nullptr, nullptr, original, copy, bytes};
    return &record;
  }

 private:
  FutexLock lock_;
  std::unordered_map<void*, ThreadprivateRecord>* records_ = nullptr; ///< never destroyed: threads may still ask
};

constinit RecordsOfCopies records_of_copies;

} // namespace

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
HETMP_ENTRY ThreadprivateRecord* kmp_threadprivate_insert(int gtid, void* original, void* value, size_t bytes) {
  set_threadprivate_value(original, value, bytes);
  return records_of_copies.make(original, threadprivate_copy(thread_of(gtid), original, bytes), bytes);
}
