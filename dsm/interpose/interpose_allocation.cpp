// The malloc family. In a process that is one of several nodes, application memory comes from the node's shared heap;
// the threads that serve faults, and every other process, get the C library's allocator. A block is freed by whoever
// owns it, told by its address.
#include "base/private_section.hpp"
#include "base/raw_call.hpp"
#include "dsm/interpose/kept_results.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/private_libc.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"
#include "dsm/space/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>

namespace hetmp::dsm {

constinit thread_local ThreadMemory thread_memory;

namespace {

NodeProcess* process_with_heap() {
  if (loading_watch)
    loading_watch->look();
  return must_allocate_privately() ? nullptr : NodeProcess::instance();
}

Heap* shared_heap() {
  NodeProcess* const process = process_with_heap();
  return process ? &process->heap() : nullptr;
}

/// A thread's cache is made when it first allocates, and its blocks go back to the heap when it ends.
void end_cache(void* cache) {
  thread_memory.gets_no_cache = true; // other keys' values may be destroyed after this one's
  thread_memory.cache = nullptr;
  static_cast<BlockCache*>(cache)->~BlockCache();
  __libc_free(cache);
}

struct AllocationFunctions {
  size_t (*const usable_bytes)(void*) = next_of<size_t(void*)>("malloc_usable_size");
  pthread_key_t key{}; ///< of each thread's cache
  const bool has_key = __pthread_key_create(&key, end_cache) == 0;
};
/// Found when the library is loaded: the dynamic linker, asked later, may allocate.
const AllocationFunctions& allocation_functions() {
  static const AllocationFunctions found;
  return found;
}
__attribute__((constructor)) void find_allocation_functions() { allocation_functions(); }

/// Of a thread of the program's that has none. Null: it is to have none, or none yet.
__attribute__((noinline)) BlockCache* make_cache(NodeProcess& process) {
  if (thread_memory.gets_no_cache || !process.has_started() || !allocation_functions().has_key)
    return nullptr;
  // The process's first thread does little but make nodes and wait for them. Where another library stands in front of
  // the function for the key's value, its variables may be needed of a node that waits for this one.
  thread_memory.gets_no_cache = raw::call(SYS_gettid) == raw::call(SYS_getpid);
  if (thread_memory.gets_no_cache)
    return nullptr;
  void* const memory = __libc_malloc(sizeof(BlockCache)); // private, as the heap's own lists
  if (!memory)
    return nullptr;
  auto* const cache = new (memory) BlockCache(process.heap(), process.node());
  thread_memory.gets_no_cache = true; // the C library may allocate for the key's value: without a cache
  const int error = kept_results().set_specific(allocation_functions().key, cache);
  thread_memory.gets_no_cache = false;
  if (error) {
    cache->~BlockCache();
    __libc_free(memory);
    return nullptr;
  }
  return thread_memory.cache = cache;
}

/// The calling thread's, where there is nothing else to be thought of.
BlockCache* ready_cache() {
  return thread_memory.kind == ThreadKind::Program && !loading_watch ? thread_memory.cache : nullptr;
}

bool in_slices(const void* pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return address >= slices_begin && address < slices_begin + most_nodes * slice_bytes;
}

constexpr size_t most_alignment = ~(~size_t(0) >> 1); // the largest power of two

/// For a report: who asked for the block. The functions of this library are among the callers.
__attribute__((noinline)) void remember(void* block, size_t bytes) {
  AllocationSites* sites = NodeProcess::instance()->allocation_sites();
  if (!sites)
    return;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t callers[6] = {};
  if (sites->may_walk(int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec))
    collect_callers(callers, sites->program_text().begin, sites->program_text().end);
  sites->record(reinterpret_cast<uintptr_t>(block), bytes, callers);
}

/// What the program gets of its heap; null: there is no more.
void* given(void* block, size_t bytes) {
  if (!block)
    errno = ENOMEM;
  else if (bytes >= AllocationSites::smallest)
    remember(block, bytes);
  return block;
}

/// Null: by allocate().
void* allocate_of_cache(size_t bytes) {
  BlockCache* const cache = bytes < BlockCache::bytes_below ? ready_cache() : nullptr;
  void* const block = cache ? cache->take(bytes) : nullptr;
  return block ? given(block, bytes) : nullptr;
}

void* allocate(size_t alignment, size_t bytes) {
  if (NodeProcess* const process = process_with_heap()) {
    if (!thread_memory.cache && make_cache(*process) && alignment <= 16)
      if (void* const block = allocate_of_cache(bytes))
        return block;
    return given(process->heap().allocate(bytes, alignment), bytes);
  }
  return alignment <= 16 ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

/// To the node's heap, or another one's. errno may change.
__attribute__((noinline)) void free_of_slices(void* block) {
  NodeProcess* process = NodeProcess::instance();
  if (!process) // a forked child of the program: its copy of the heap is never used again
    return;
  if (Heap::owner(block) == process->node())
    process->heap().free(block);
  else
    process->free_remote(block);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

bool hetmp_dsm_allocate_privately(bool privately) { return allocate_privately(privately); }

void* malloc(size_t bytes) {
  void* const block = allocate_of_cache(bytes);
  return block ? block : allocate(16, bytes);
}

void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (void* const block = allocate_of_cache(bytes))
    return memset(block, 0, bytes);
  if (Heap* heap = shared_heap())
    return given(heap->allocate_zeroed(bytes), bytes);
  return __libc_calloc(count, size);
}

void free(void* block) {
  if (!block)
    return;
  if (!in_slices(block))
    return __libc_free(block);
  if (BlockCache* const cache = ready_cache(); cache && cache->put(block))
    return;
  const int saved_errno = errno; // free keeps errno
  free_of_slices(block);
  errno = saved_errno;
}

void* realloc(void* block, size_t bytes) {
  if (!block)
    return malloc(bytes);
  if (!in_slices(block))
    return __libc_realloc(block, bytes); // stays where it began its life
  if (bytes == 0) {
    free(block);
    return nullptr;
  }
  const size_t usable = Heap::usable_bytes(block);
  if (Heap::stays_in_place(usable, bytes))
    return block;
  Heap* const heap = shared_heap();
  void* const resized = heap ? given(heap->resize(block, bytes), bytes) : __libc_malloc(bytes);
  if (resized && resized != block) {
    memcpy(resized, block, std::min(bytes, usable));
    free(block);
  }
  return resized;
}

void* memalign(size_t alignment, size_t bytes) {
  if (alignment > most_alignment) {
    errno = EINVAL;
    return nullptr;
  }
  return allocate(std::bit_ceil(alignment), bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
void* valloc(size_t bytes) { return memalign(page_bytes, bytes); }
void* pvalloc(size_t bytes) { return memalign(page_bytes, std::max(bytes, page_up(bytes))); } // not 0 for the largest

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0)
    return EINVAL;
  const int saved_errno = errno;
  void* memory = allocate(alignment, bytes);
  errno = saved_errno;
  if (!memory)
    return ENOMEM;
  *block = memory;
  return 0;
}

size_t malloc_usable_size(void* block) {
  if (!block)
    return 0;
  return in_slices(block) ? Heap::usable_bytes(block) : allocation_functions().usable_bytes(block);
}

} // extern "C"
#pragma GCC visibility pop
