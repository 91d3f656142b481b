// Mappings made by the program. Anonymous memory comes from the node's shared slice. Files are mapped at the same
// address on every node where that is the same memory, and copied into shared memory where the program may write what
// the file shall not see. Protection is everybody's. What lies elsewhere goes to the system unchanged.
#include "base/message.hpp"
#include "dsm/interpose/calling_process.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/file_mapping.hpp"
#include "dsm/space/core_dump.hpp"
#include "dsm/space/file_area.hpp"
#include "dsm/space/memory_map.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace hetmp::dsm {
namespace {

constexpr int read_write = PROT_READ | PROT_WRITE;

void* refuse(int error) {
  errno = error;
  return MAP_FAILED;
}

void* system_mmap(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, descriptor, offset));
}

Segment pages_of(const void* begin, size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  return {address, page_up(address + bytes)};
}

bool in_slices(const NodeProcess& process, const void* pointer) {
  return process.plan().in_slices(reinterpret_cast<uintptr_t>(pointer));
}

/// On all nodes. Stacks are used by threads of one node only: their guards are that node's business.
int protect_shared(const NodeProcess& process, Segment range, int protection) {
  if (AddressPlan::stack_part(process.node()).contains(range.begin))
    return syscall(SYS_mprotect, range.begin, range.bytes(), protection) ? errno : 0;
  if ((protection & PROT_WRITE) && process.plan().in_slices(range.begin)) // reserved before, perhaps
    include_in_dumps(range);
  return change_everywhere(
      {.kind = Change::Kind::Protect, .protection = protection, .begin = range.begin, .bytes = range.bytes()});
}

/// Zeros from now on, on every node. What no other node has seen goes back to the system.
void discard(NodeProcess& process, Segment range) {
  for (uintptr_t at = range.begin; at < range.end;) {
    const uintptr_t end = std::min((at | (publish_bytes - 1)) + 1, range.end);
    void* piece = reinterpret_cast<void*>(at);
    if (process.node() == Heap::owner(piece) && process.unpublished({at, end}))
      syscall(SYS_madvise, at, end - at, MADV_DONTNEED);
    else
      memset(piece, 0, end - at);
    at = end;
  }
}

/// The same, whatever its protection.
void discard_protected(NodeProcess& process, Segment range) {
  const std::vector<Mapping> mappings = process.changes().protection_differs()
                                            ? mappings_within(range)
                                            : std::vector<Mapping>{{range, read_write, false, false}};
  for (const Mapping& mapping : mappings) {
    const bool writable = (mapping.protection & PROT_WRITE) && (mapping.protection & PROT_READ);
    if (!writable)
      protect_shared(process, mapping.range, read_write);
    discard(process, mapping.range);
    if (!writable)
      protect_shared(process, mapping.range, mapping.protection);
  }
}

void* map_anonymous(NodeProcess& process, size_t bytes, int protection, int flags) {
  const bool reserves = (flags & MAP_NORESERVE) || !(protection & PROT_WRITE);
  void* memory = process.heap().map(bytes, reserves ? Heap::Purpose::Reserve : Heap::Purpose::Use);
  if (!memory)
    return refuse(ENOMEM);
  if (protection != read_write)
    protect_shared(process, pages_of(memory, bytes), protection);
  return memory;
}

/// Shared with children that the program may yet make: a file without a name does the same for all nodes and their
/// children. Null: this cannot be, as where nodes are on several machines; then only the nodes share it.
void* map_for_children(NodeProcess& process, size_t bytes, int protection, int flags) {
  if (process.made_by_launcher())
    return nullptr;
  const int file = int(syscall(SYS_memfd_create, "hetmp-shared", MFD_CLOEXEC));
  if (file < 0)
    return nullptr;
  void* const memory = ftruncate(file, off_t(page_up(bytes))) == 0
                           ? process.files().map(bytes, protection, flags & ~(MAP_ANONYMOUS | MAP_HUGETLB), file, 0)
                           : MAP_FAILED;
  close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// MAP_FIXED over memory that nodes share, as in "reserve a lot, then commit parts of it": the addresses stay what they
/// are, only content and protection become new.
void* map_over_shared(NodeProcess& process, void* where, size_t bytes, int protection, int flags, int descriptor,
                      off_t offset) {
  const Segment range = pages_of(where, bytes);
  const bool copies = !(flags & MAP_ANONYMOUS);
  const bool inside = process.plan().in_slices(range.end - 1) && Heap::owner(where) < process.plan().nodes();
  if ((flags & MAP_TYPE) != MAP_PRIVATE || !inside || range.begin % page_bytes) {
    hetmp::say("mmap(MAP_FIXED) over memory that nodes share is possible for private mappings only; refused");
    return refuse(ENOTSUP);
  }
  if (flags & MAP_FIXED_NOREPLACE)
    return refuse(EEXIST);
  if (const int error = protect_shared(process, range, read_write))
    return refuse(error);
  size_t filled = 0;
  if (copies) {
    if (const int error = read_file(where, range.bytes(), descriptor, offset, &filled))
      return refuse(error);
    memset(reinterpret_cast<char*>(where) + filled, 0, page_up(filled) - filled);
  }
  discard(process, {page_up(range.begin + filled), range.end});
  if (protection != read_write)
    protect_shared(process, range, protection);
  return where;
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  NodeProcess* process = process_of_caller();
  constexpr int elsewhere = MAP_GROWSDOWN, placed = MAP_FIXED | MAP_FIXED_NOREPLACE;
  if (process && bytes > 0 && (flags & placed) && in_slices(*process, where))
    return map_over_shared(*process, where, bytes, protection, flags, descriptor, offset);
  if (!process || bytes == 0 || (flags & (elsewhere | placed)))
    return system_mmap(where, bytes, protection, flags, descriptor, offset);
  if ((flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) != MAP_PRIVATE) {
    if (!process->has_started()) // the kernel shares it with the nodes to come
      return system_mmap(where, bytes, protection, flags, descriptor, offset);
    if (void* const memory = map_for_children(*process, bytes, protection, flags))
      return memory;
  }
  if (flags & MAP_ANONYMOUS)
    return map_anonymous(*process, bytes, protection, flags);
  if (!can_map_file(descriptor))
    return system_mmap(where, bytes, protection, flags, descriptor, offset);
  return process->files().map(bytes, protection, flags, descriptor, offset);
}

void* mmap64(void* where, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return mmap(where, bytes, protection, flags, descriptor, offset);
}

int munmap(void* begin, size_t bytes) {
  NodeProcess* process = process_of_caller();
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  const bool shared = process && process->plan().in_slices(address);
  if (!shared && !(process && FileArea::contains(address)))
    return int(syscall(SYS_munmap, begin, bytes));
  if (address % page_bytes || bytes == 0) {
    errno = EINVAL;
    return -1;
  }
  const Segment range = pages_of(begin, bytes);
  if (!shared)
    return process->files().unmap(range);
  const uint32_t owner = Heap::owner(begin);
  if (!AddressPlan::large_part(owner).contains(address))
    return 0;
  if (process->changes().protection_differs())
    protect_shared(*process, range, read_write);
  if (owner == process->node())
    process->heap().unmap(begin, bytes);
  else
    process->unmap_remote(range);
  return 0;
}

int mprotect(void* begin, size_t bytes, int protection) {
  NodeProcess* process = process_of_caller();
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  const bool file = process && FileArea::contains(address);
  if (!file && !(process && process->plan().is_shared(address)))
    return int(syscall(SYS_mprotect, begin, bytes, protection));
  int error = EINVAL;
  if (address % page_bytes == 0)
    error = file ? process->files().protect(pages_of(begin, bytes), protection)
                 : protect_shared(*process, pages_of(begin, bytes), protection);
  if (error)
    errno = error;
  return error ? -1 : 0;
}

int madvise(void* begin, size_t bytes, int advice) {
  NodeProcess* process = process_of_caller();
  const bool gives_back = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
  if (!process || !gives_back || !in_slices(*process, begin))
    return int(syscall(SYS_madvise, begin, bytes, advice));
  if (reinterpret_cast<uintptr_t>(begin) % page_bytes) {
    errno = EINVAL;
    return -1;
  }
  if (advice == MADV_DONTNEED) // the others promise nothing
    discard_protected(*process, pages_of(begin, bytes));
  return 0;
}

void* mremap(void* begin, size_t bytes, size_t wanted, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void* where = flags & MREMAP_FIXED ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  NodeProcess* process = process_of_caller();
  const bool file = process && FileArea::contains(reinterpret_cast<uintptr_t>(begin));
  if (!file && !(process && in_slices(*process, begin)))
    return reinterpret_cast<void*>(syscall(SYS_mremap, begin, bytes, wanted, flags, where));
  if (reinterpret_cast<uintptr_t>(begin) % page_bytes || wanted == 0 || (flags & MREMAP_FIXED))
    return refuse(EINVAL);
  if (page_up(wanted) <= page_up(bytes)) {
    if (page_up(wanted) < page_up(bytes))
      munmap(static_cast<char*>(begin) + page_up(wanted), page_up(bytes) - page_up(wanted));
    return begin;
  }
  if (file)
    hetmp::say("mremap: a mapping of a file cannot grow on several nodes; refused");
  void* memory = (flags & MREMAP_MAYMOVE) && !file ? process->heap().map(wanted) : nullptr;
  if (!memory)
    return refuse(ENOMEM);
  memcpy(memory, begin, bytes);
  munmap(begin, bytes);
  return memory;
}

} // extern "C"
#pragma GCC visibility pop
