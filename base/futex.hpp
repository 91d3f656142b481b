// The kernel's wait/wake primitive on a 32-bit word, private to this process or shared between processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp {

using FutexWord = std::atomic<uint32_t>;
enum class FutexScope { Process, Machine };

/// Sleeps while `word` holds `expected`; may return early (spurious wake, signal): callers loop on their condition.
inline void futex_wait(const FutexWord& word, uint32_t expected, FutexScope scope = FutexScope::Process,
                       const timespec* relative_timeout = nullptr) {
  const int operation = FUTEX_WAIT | (scope == FutexScope::Process ? FUTEX_PRIVATE_FLAG : 0);
  syscall(SYS_futex, reinterpret_cast<const uint32_t*>(&word), operation, expected, relative_timeout, nullptr, 0);
}

/// Wakes at most `count` sleepers of `word`.
inline void futex_wake(const FutexWord& word, int count, FutexScope scope = FutexScope::Process) {
  const int operation = FUTEX_WAKE | (scope == FutexScope::Process ? FUTEX_PRIVATE_FLAG : 0);
  syscall(SYS_futex, reinterpret_cast<const uint32_t*>(&word), operation, count, nullptr, nullptr, 0);
}

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace hetmp
