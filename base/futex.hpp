// The kernel's wait/wake primitive on a 32-bit word, private to this process or shared between processes. It leaves
// errno alone: who stands in for a thread that is elsewhere waits and wakes as well, and may not touch that thread's
// variables (dsm/migration/deputy.hpp).
#pragma once

#include "base/raw_call.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>

namespace hetmp {

using FutexWord = std::atomic<uint32_t>;
enum class FutexScope { Process, Machine };

/// Sleeps while `word` holds `expected`; may return early (spurious wake, signal): callers loop on their condition. In
/// place, for signal handlers in which the thread pointer is another thread's.
inline __attribute__((always_inline)) void futex_wait(const FutexWord& word, uint32_t expected,
                                                      FutexScope scope = FutexScope::Process,
                                                      const timespec* relative_timeout = nullptr) {
  const int operation = FUTEX_WAIT | (scope == FutexScope::Process ? FUTEX_PRIVATE_FLAG : 0);
  raw::call(SYS_futex, long(&word), operation, long(expected), long(relative_timeout));
}

/// Wakes at most `count` sleepers of `word`.
inline void futex_wake(const FutexWord& word, int count, FutexScope scope = FutexScope::Process) {
  const int operation = FUTEX_WAKE | (scope == FutexScope::Process ? FUTEX_PRIVATE_FLAG : 0);
  raw::call(SYS_futex, long(&word), operation, count);
}

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace hetmp
