// TCP connections with deadlines, for the time in which a run starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace hetmp::launch {

/// Of a clock that nobody sets.
int64_t now_ms();

struct Resolved {
  sockaddr_storage address{};
  socklen_t bytes = 0;
};
/// What is wrong, empty if nothing is.
std::string resolve(const std::string& host, uint16_t port, Resolved& result);
std::string numeric(const sockaddr_storage& address, socklen_t bytes);

/// A connected socket that waits; -1, with errno, if there is none by the deadline.
int connect_by(const Resolved& to, int64_t deadline_ms);

/// Reads exactly `size` bytes; false at the deadline, at the end of the stream or on an error.
bool read_exactly(int socket, void* to, size_t size, int64_t deadline_ms);
/// A few bytes on a fresh connection: they fit into its buffer.
bool write_exactly(int socket, const void* bytes, size_t size);

} // namespace hetmp::launch
