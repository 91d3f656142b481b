// What wakes a service thread: an eventfd, to which whoever has left it a message writes.
#pragma once

#include "base/raw_call.hpp"

#include <cstdint>
#include <sys/syscall.h>

namespace hetmp::dsm {

/// Wakes it whether it sleeps or is about to. Not by the C library's write(): that is a point where a thread may be
/// cancelled, which it writes to the thread's own record, and of a thread that is elsewhere that page is elsewhere,
/// too.
inline void wake(int doorbell) {
  const uint64_t one = 1;
  raw::call(SYS_write, doorbell, long(&one), sizeof one);
}

} // namespace hetmp::dsm
