// How many threads a process may have without taking them all from others.
#pragma once

#include <cstdint>
#include <string>

namespace hetmp {

struct ThreadRoom {
  uint64_t threads;  ///< half of the smallest limit, at least 1
  std::string limit; ///< which that is, and its value: "kernel.pid_max is 32768"
};

/// By the kernel's limits for the machine, those of this process's control groups, and its user's, which the superuser
/// does not have. `root` stands before /proc and /sys (tests).
ThreadRoom thread_room(const std::string& root = "");

/// Teams of no more threads than this are not asked whether the machine has so many.
inline constexpr uint32_t unquestioned_threads = 256;

/// `threads`, or as many of them as a process may have here; then `limit` says what is in the way. Limits are read
/// once.
uint32_t threads_with_room(uint32_t threads, std::string& limit);

} // namespace hetmp
