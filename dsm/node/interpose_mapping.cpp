// Anonymous mappings made by the program come from the node's shared slice; all others go to the system unchanged.
#include "dsm/node/node_process.hpp"
#include "dsm/node/private_threads.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

void* system_mmap(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, descriptor, offset));
}

bool in_large_part(const NodeProcess& process, const void* pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return AddressPlan::large_part(process.node()).contains(address);
}

/// Mappings that the program may place, grow or share by name are not ours to move.
bool belongs_in_slice(void* where, size_t bytes, int flags) {
  const int special = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_HUGETLB | MAP_SHARED | MAP_STACK;
  return !where && bytes > 0 && (flags & MAP_ANONYMOUS) && (flags & MAP_PRIVATE) && !(flags & special);
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  NodeProcess* process = allocates_privately ? nullptr : NodeProcess::instance();
  if (!process || !belongs_in_slice(where, bytes, flags))
    return system_mmap(where, bytes, protection, flags, descriptor, offset);
  void* memory = process->heap().map(bytes);
  if (!memory) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  if (protection != (PROT_READ | PROT_WRITE))
    mprotect(memory, page_up(bytes), protection);
  return memory;
}

void* mmap64(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return mmap(where, bytes, protection, flags, descriptor, offset);
}

int munmap(void* begin, size_t bytes) {
  NodeProcess* process = allocates_privately ? nullptr : NodeProcess::instance();
  if (!process || !process->plan().in_slices(reinterpret_cast<uintptr_t>(begin)))
    return int(syscall(SYS_munmap, begin, bytes));
  if (reinterpret_cast<uintptr_t>(begin) % page_bytes || bytes == 0) {
    errno = EINVAL;
    return -1;
  }
  // Another node's mapping is kept until the program ends: its address range is not reused, its pages stay coherent.
  if (in_large_part(*process, begin)) {
    mprotect(begin, page_up(bytes), PROT_READ | PROT_WRITE);
    process->heap().unmap(begin, bytes);
  }
  return 0;
}

void* mremap(void* begin, size_t bytes, size_t wanted, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void* where = flags & MREMAP_FIXED ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  NodeProcess* process = allocates_privately ? nullptr : NodeProcess::instance();
  if (!process || !process->plan().in_slices(reinterpret_cast<uintptr_t>(begin)))
    return reinterpret_cast<void*>(syscall(SYS_mremap, begin, bytes, wanted, flags, where));
  if (flags & MREMAP_FIXED) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if (page_up(wanted) <= page_up(bytes)) {
    if (page_up(wanted) < page_up(bytes))
      munmap(static_cast<char*>(begin) + page_up(wanted), page_up(bytes) - page_up(wanted));
    return begin;
  }
  void* memory = flags & MREMAP_MAYMOVE ? process->heap().map(wanted) : nullptr;
  if (!memory) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  memcpy(memory, begin, bytes);
  munmap(begin, bytes);
  return memory;
}

} // extern "C"
#pragma GCC visibility pop
