// System calls by themselves: in signal handlers that run while the thread pointer is another thread's, where the C
// library's functions would write that thread's errno.
#pragma once

#include "base/raw_call.hpp"
#include "dsm/migration/journeys/denied_cpu.hpp"

#include <cstdint>
#include <ctime>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace hetmp::dsm::raw {

using hetmp::raw::call;

/// Of those that the calling thread has blocked; the kernel's 64.
inline __attribute__((always_inline)) uint64_t pending_signals() {
  uint64_t pending = 0;
  call(SYS_rt_sigpending, long(&pending), sizeof pending);
  return pending;
}

inline __attribute__((always_inline)) int64_t clock_ns(clockid_t clock) {
  timespec now{};
  call(SYS_clock_gettime, clock, long(&now));
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Of the calling thread.
inline __attribute__((always_inline)) DeniedCpu::Times times_of_thread() {
  rusage usage{};
  call(SYS_getrusage, RUSAGE_THREAD, long(&usage));
  return {clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID), clock_ns(CLOCK_PROCESS_CPUTIME_ID),
          usage.ru_nvcsw};
}

/// Page faults of the calling thread so far.
inline __attribute__((always_inline)) int64_t faults_of_thread() {
  rusage usage{};
  call(SYS_getrusage, RUSAGE_THREAD, long(&usage));
  return usage.ru_minflt + usage.ru_majflt;
}

} // namespace hetmp::dsm::raw
