// The clocks that timeouts and deadlines, and what a process has had of its CPUs, are counted by.
#pragma once

#include <cstdint>
#include <ctime>

namespace hetmp {

/// Nanoseconds since an arbitrary moment, never going backwards; comparable within one machine.
inline int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// For which threads of this process have been executed, in sum; nanoseconds.
inline int64_t process_cpu_ns() {
  timespec executed;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &executed);
  return int64_t(executed.tv_sec) * 1'000'000'000 + executed.tv_nsec;
}

} // namespace hetmp
