// A memory barrier that one thread makes all threads of its process pass: the kernel interrupts those that run.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp {

/// Once for each process image, before the first barrier; false: the kernel, or what confines the process, refuses.
inline bool register_barrier_in_all_threads() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/// False: refused, and nothing has happened.
inline bool barrier_in_all_threads() { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }

} // namespace hetmp
