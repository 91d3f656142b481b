// The clock that timeouts and deadlines are counted by.
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

} // namespace hetmp
