// The malloc family. In a process that is one of several nodes, application memory comes from the node's shared heap;
// the threads that serve faults, and every other process, get the C library's allocator. A block is freed by whoever
// owns it, told by its address.
#include "base/private_section.hpp"
#include "dsm/objects/anonymous_data.hpp"
#include "dsm/objects/private_libc.hpp"
#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

namespace hetmp::dsm {

constinit thread_local ThreadKind thread_kind = ThreadKind::Program;

namespace {

Heap* shared_heap() {
  if (loading_watch)
    loading_watch->look();
  if (must_allocate_privately())
    return nullptr;
  NodeProcess* process = NodeProcess::instance();
  return process ? &process->heap() : nullptr;
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

void* allocate(size_t alignment, size_t bytes) {
  if (Heap* heap = shared_heap())
    return given(heap->allocate(bytes, alignment), bytes);
  return alignment <= 16 ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

size_t libc_usable_bytes(void* block) {
  static auto* real = reinterpret_cast<size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return real(block);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

bool hetmp_dsm_allocate_privately(bool privately) { return allocate_privately(privately); }

void* malloc(size_t bytes) { return allocate(16, bytes); }

void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (Heap* heap = shared_heap())
    return given(heap->allocate_zeroed(bytes), bytes);
  return __libc_calloc(count, size);
}

void free(void* block) {
  if (!block)
    return;
  if (!in_slices(block))
    return __libc_free(block);
  const int saved_errno = errno; // free keeps errno
  NodeProcess* process = NodeProcess::instance();
  if (!process) // a forked child of the program: its copy of the heap is never used again
    return;
  if (Heap::owner(block) == process->node())
    process->heap().free(block);
  else
    process->free_remote(block);
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
  return in_slices(block) ? Heap::usable_bytes(block) : libc_usable_bytes(block);
}

} // extern "C"
#pragma GCC visibility pop
