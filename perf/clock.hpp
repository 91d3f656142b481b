// The clock of all measurements.
#pragma once

#include <ctime>

namespace hetmp::perf {

/// Microseconds since an arbitrary moment, never going backwards; comparable within one machine.
inline double monotonic_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

} // namespace hetmp::perf
