// Memory that a device reads and writes is locked, and a process may lock only so much. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace hetmp::dsm {

/// A clause, for when so many bytes could not be registered for lack of memory; `limit`: RLIMIT_MEMLOCK.
std::string why_not_locked(const std::string& device, uint64_t bytes, uint64_t limit);

} // namespace hetmp::dsm
