// userfaultfd: page faults of this process's shared memory as messages, and the operations that answer them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

struct PageFault {
  uintptr_t address = 0; ///< page aligned
  enum class Kind : uint8_t { ReadMissing, WriteMissing, WriteProtected } kind = Kind::ReadMissing;
  uint32_t offset = UINT32_MAX; ///< of the access in the page; UINT32_MAX where the kernel does not tell
  uint32_t thread = 0;          ///< the kernel's number of the thread that waits
};

class UserFaults {
 public:
  enum class Access {
    Full,     ///< faults of user code and of system calls
    UserOnly, ///< system calls on absent pages fail with EFAULT
    Refused,  ///< errno says why
  };

  /// Opens the descriptor for this process (it belongs to the process that opened it, also when descriptors are
  /// shared).
  Access open();
  int descriptor() const { return descriptor_; }

  /// From now on faults on absent and on write-protected pages of the range come here. Present pages stay as they are.
  void watch(uintptr_t begin, size_t bytes);

  /// Reads up to `most` faults without waiting; returns how many.
  size_t read(PageFault* faults, size_t most);

  // Page operations; `page` is the first page's address, `pages` how many there are from there on.

  /// Whether the threads that wait for the page go on at once, or at wake().
  enum class Waiters : uint8_t { Wake, Keep };

  /// Puts content there. False if a page is present already: then those before it were installed, none from there on.
  bool install(uintptr_t page, const void* content, bool writable, Waiters waiters, size_t pages = 1);
  /// Likewise, zeros; at most most_data_pages.
  bool install_zeros(uintptr_t page, bool writable, Waiters waiters, size_t pages = 1);
  /// Maps the kernel's page of zeros at absent pages until the first one that is present or not watched: each becomes
  /// memory of its own when it is written, without a fault that is told here. Returns how many.
  size_t map_zeros(uintptr_t page, size_t pages);
  void protect(uintptr_t page, size_t pages = 1); ///< later writes fault
  void unprotect(uintptr_t page, Waiters waiters, size_t pages = 1);
  void drop(uintptr_t page, size_t pages = 1); ///< later accesses fault
  void wake(uintptr_t page);

 private:
  int descriptor_ = -1;
  bool exact_ = false; ///< the kernel tells which byte was accessed (since Linux 5.18)
};

/// What a process may do here, without keeping anything open.
UserFaults::Access probe_user_faults();

} // namespace hetmp::dsm
